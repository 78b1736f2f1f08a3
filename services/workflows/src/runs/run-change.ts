import type { Capacity } from './capacity.ts';
import { openLocks } from './entry-policy.ts';
import type { Advanced } from './run.ts';
import { dueUpdate, isOpenState, responsesOf, type StoredRun } from './run-document.ts';

/** One change of a stored run. Without `dueAt`, the timer and the claim stay as they are. */
export type Change = {
  before: StoredRun;
  advanced: Advanced;
  dueAt: Date | null | undefined;
  watches: string[];
  capacity: Record<'before' | 'after', Capacity | undefined>;
};

/** The update that applies a change to the run, if its sequence is still the one before. */
export function updateOf({ before, advanced: { run }, dueAt, watches, capacity }: Change, now: Date) {
  const { version, state, reason, step, waiting, sequence, revision, after = [], chain, contact_id, began, since } = run;
  const { capped, reached, sent, engaged, converted_at, responses } = run;
  const closed = !isOpenState(state);
  const due = dueAt === undefined ? undefined : dueUpdate(run, dueAt);
  return {
    filter: { _id: before.id, account_id: before.account_id, sequence: before.sequence },
    update: {
      $set: {
        ...{ version, state, reason, step, waiting, sequence, revision, after, chain, contact_id, began },
        ...(since !== undefined && { since }),
        ...(capped !== undefined && { capped }),
        ...{ reached, sent, engaged },
        ...(converted_at !== undefined && { converted_at }),
        ...responsesOf(responses),
        ended_at: closed ? now : null,
        ...(watches.length > 0 && { watches }),
        ...(capacity.after && { capacity: capacity.after }),
        ...due?.$set,
      },
      $unset: {
        ...due?.$unset,
        ...(capped === undefined && { capped: '' as const }),
        ...(watches.length === 0 && { watches: '' as const }),
        ...(!capacity.after && { capacity: '' as const }),
      },
      ...(closed && { $pull: { locks: openLocks } }),
    },
  };
}
