import { contactId } from '@mp/contracts/ids';
import { PlannedMoment } from '@mp/contracts/moment';
import type { ContactId } from '@mp/ids';
import { windowMs } from '@mp/rules/duration';
import { z } from 'zod';
import type { Occurred, Run } from '../runs/run.ts';
import { namedForm, namedSegment } from '../workflows/occurrence.ts';
import { Duration } from '../workflows/step-fields.ts';
import { StepId } from '../workflows/step-id.ts';

const timed = {
  after: Duration.optional().describe('How long after `from` it happens.'),
  at: PlannedMoment.optional().describe('When it happens.'),
  contact_id: contactId.min(1).max(100).optional().describe('The contact it happens to. Default: all.'),
};

const property = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const ofForm = { form_id: namedForm };
const ofMessage = { step_id: StepId.describe('The `send` step; ignored if its email has not been sent by then.') };

/** Something that happens to the contact during a simulation. */
export const TimelineItem = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('event'),
      name: z.string().trim().normalize('NFC').min(1).max(200),
      properties: z.record(z.string().max(250), property).default({}),
      value: z
        .strictObject({ amount: z.number(), currency: z.string().max(3) })
        .nullable()
        .default(null),
      ...timed,
    }),
    z.strictObject({ type: z.literal('segment_entered'), segment_id: namedSegment, ...timed }),
    z.strictObject({ type: z.literal('segment_left'), segment_id: namedSegment, ...timed }),
    z.strictObject({ type: z.literal('message_opened'), ...ofMessage, ...timed }),
    z.strictObject({ type: z.literal('message_clicked'), ...ofMessage, ...timed }),
    z.strictObject({ type: z.literal('form_submitted'), ...ofForm, ...timed }),
    z.strictObject({ type: z.literal('form_confirmed'), ...ofForm, ...timed }),
    z.strictObject({
      type: z.literal('contact_updated'),
      set: z.record(z.string().max(100), z.unknown()).describe('The fields that change, as in the body of PUT /v2/contacts/:id.'),
      ...timed,
    }),
  ])
  .refine(({ after, at }) => (after === undefined) !== (at === undefined), {
    path: ['after'],
    message: 'expected exactly one of `after` and `at`',
  })
  .meta({ id: 'WorkflowSimulationEvent' });
export type TimelineItem = z.output<typeof TimelineItem>;

export type Scheduled = { at: Date; item: TimelineItem };

/** The items of one contact with their times, in order. */
export const schedule = (items: readonly TimelineItem[], contactId: ContactId | undefined, from: Date): Scheduled[] =>
  items
    .filter(({ contact_id }) => contact_id === undefined || contact_id === contactId)
    .map((item) => ({
      item,
      at: item.at === undefined ? new Date(from.getTime() + windowMs(item.after ?? 'PT0S')) : new Date(item.at),
    }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());

/** What an item means for the run; undefined for an email that was not sent, and for a change of the contact. */
export function occurredIn(item: TimelineItem, run: Run): Occurred | undefined {
  switch (item.type) {
    case 'event':
      return { type: 'event', name: item.name, properties: item.properties, value: item.value };
    case 'segment_entered':
    case 'segment_left':
      return { type: item.type, segment_id: item.segment_id };
    case 'form_submitted':
    case 'form_confirmed':
      return { type: item.type, form_id: item.form_id };
    case 'contact_updated':
      return undefined;
    default: {
      const key = run.sent[item.step_id];
      return key === undefined ? undefined : { type: item.type, effect_key: key };
    }
  }
}
