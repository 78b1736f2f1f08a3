import { EventWhere } from '@mp/rules/where';
import { z } from 'zod';
import { QuietHours } from './local-time.ts';
import { Occurrence, SegmentId } from './occurrence.ts';
import { Step } from './step.ts';

/** The maximum age of an event whose contact is identified later. */
export const attributedHours = 24;

export const Trigger = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('manual') }),
    z.strictObject({ type: z.literal('segment_entered'), segment_id: SegmentId }),
    z.strictObject({ type: z.literal('segment_left'), segment_id: SegmentId }),
    z.strictObject({ type: z.literal('contact_created') }),
    z.strictObject({
      type: z.literal('contact_updated'),
      fields: z
        .array(z.string().min(1).max(100))
        .max(50)
        .optional()
        .describe(
          'Start runs only when one of these fields changes, such as `tags` or `attributes.plan`; `address` includes all its fields. Default: any field except `last_seen_at`.',
        ),
    }),
    z.strictObject({
      type: z.literal('event'),
      name: z
        .string()
        .min(1)
        .max(200)
        .describe(
          `The name of a tracked event. An event whose contact is identified later also starts a run, if it is then at most ${attributedHours} hours old.`,
        ),
      where: EventWhere.optional().describe('Conditions on the properties and the value of the event; all must match.'),
    }),
  ])
  .meta({ id: 'WorkflowTrigger', description: 'What starts a run. Every workflow can also be triggered through the API.' });
export type Trigger = z.output<typeof Trigger>;

export const Entry = z.strictObject({
  policy: z
    .enum(['once', 'after_exit', 'every_time'])
    .default('after_exit')
    .describe('Whether a contact can enter again: never (`once`), when its run has ended (`after_exit`), or at any time (`every_time`).'),
});

export const OnError = z
  .enum(['continue', 'exit'])
  .describe('What happens when a step is refused or keeps failing: the run continues with the next step, or it ends as failed.');

export const definitionFields = {
  trigger: Trigger,
  steps: z.array(Step).min(1).max(100).describe('Runs start at the first step.'),
  entry: Entry,
  on_error: OnError,
  exit_when: z
    .array(Occurrence)
    .max(10)
    .describe('A run exits with the reason `exit_condition` when one of these happens, at whatever step it is.'),
  quiet_hours: QuietHours.nullable(),
};

/** One version of what a workflow does. A run stays on the version it started with. */
export const Definition = z.strictObject({
  ...definitionFields,
  // Definitions stored before these existed do not have them.
  exit_when: definitionFields.exit_when.default([]),
  quiet_hours: definitionFields.quiet_hours.default(null),
});
export type Definition = z.output<typeof Definition>;

/** The key by which an event finds its triggers. Conditions such as `where` and `fields` are checked on the definition. */
export function triggerKey(trigger: Trigger): string {
  switch (trigger.type) {
    case 'segment_entered':
    case 'segment_left':
      return `${trigger.type} ${trigger.segment_id}`;
    case 'event':
      return `event ${trigger.name}`;
    default:
      return trigger.type;
  }
}
