import { isDeepStrictEqual } from 'node:util';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { z } from 'zod';
import { Value } from '../events/event-body.ts';
import { EventMatch } from '../reports/event-match.ts';

/** The goals of an account. */
export const maxGoals = 200;

const writable = {
  name: Name(200).describe('The name of the goal.'),
  match: EventMatch.describe('The event that is a conversion.'),
  value: Value.nullable().describe('The value of a conversion whose event has none; null for none.'),
};

const moment = z.iso.datetime();

/** An event or page that visitors should reach. Conversions are counted from events, so a new goal has a history. */
export const Goal = z
  .object({
    id: z.string().describe('The ID of the goal.'),
    ...writable,
    revision: z.number().int().describe('Increases with every change.'),
    created_at: moment.describe('When the goal was created.'),
    updated_at: moment.describe('When the goal was last changed.'),
  })
  .meta({ id: 'Goal' });
export type Goal = z.output<typeof Goal>;

export const CreateGoalBody = z.strictObject({ ...writable, value: writable.value.default(null) });

/** A goal from GET can be edited and sent back. */
export const UpdateGoalBody = z.strictObject({ ...Goal.shape, ...writable }).partial();

export function newGoal(body: z.output<typeof CreateGoalBody>, now: Date): Goal {
  const at = now.toISOString();
  return { id: newId('goal'), ...body, revision: 1, created_at: at, updated_at: at };
}

const readOnlyFields = ['id', 'revision', 'created_at', 'updated_at'] as const;

/** Throws VALIDATION_ERROR if a read-only field was changed. Returns the same object if nothing changed. */
export function changeGoal(before: Goal, body: z.output<typeof UpdateGoalBody>, now: Date): Goal {
  rejectReadOnlyChanges(body, before, readOnlyFields);
  const { name = before.name, match = before.match, value = before.value } = body;
  const after = { ...before, name, match, value };
  return isDeepStrictEqual(after, before) ? before : { ...after, revision: before.revision + 1, updated_at: now.toISOString() };
}
