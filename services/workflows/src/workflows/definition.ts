import { EventWhere } from '@mp/rules/where';
import { z } from 'zod';
import { Step } from './step.ts';

const SegmentId = z.string().regex(/^segment_[0-9a-z]{26}$/, 'expected the id of a segment');

/** How old an event may be whose contact is found out later. */
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
          'Only when one of these changed, such as `tags` or `attributes.plan`; `address` means all of it. Default: any but `last_seen_at`.',
        ),
    }),
    z.strictObject({
      type: z.literal('event'),
      name: z
        .string()
        .min(1)
        .max(200)
        .describe(
          `The name of a tracked event. One whose contact becomes known later begins a run too, if it is then at most ${attributedHours} hours old.`,
        ),
      where: EventWhere.optional().describe('What its properties and its value must be; all must hold.'),
    }),
  ])
  .meta({ id: 'WorkflowTrigger', description: 'What begins a run; every workflow can also be triggered by API.' });
export type Trigger = z.output<typeof Trigger>;

export const Entry = z.strictObject({
  policy: z
    .enum(['once', 'after_exit', 'every_time'])
    .default('after_exit')
    .describe('Whether a contact may enter again: never, once its run has ended, or always.'),
});

export const OnError = z
  .enum(['continue', 'exit'])
  .describe('After a step that was refused or kept failing: go on, or end the run as failed.');

export const definitionMembers = {
  trigger: Trigger,
  steps: z.array(Step).min(1).max(100).describe('The first one is where runs begin.'),
  entry: Entry,
  on_error: OnError,
};

/** What a workflow does, one version of it. A run stays on the version it began with. */
export const Definition = z.strictObject(definitionMembers);
export type Definition = z.output<typeof Definition>;

/** How triggers are looked up when an event comes; events' and fields' details are checked on the definition. */
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
