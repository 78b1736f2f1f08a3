import { exactlyOneOf } from '@mp/contracts/constraints';
import { campaignId, workflowId } from '@mp/contracts/ids';
import { TimeOfDay } from '@mp/contracts/quiet-hours';
import { Timezone } from '@mp/rules/calendar';
import { durationMs } from '@mp/rules/duration';
import { Rule } from '@mp/rules/rule';
import { EventWhere } from '@mp/rules/where';
import { Cron } from 'croner';
import { z } from 'zod';
import { jsonPointer } from './json-pointer.ts';
import { DateField, FallbackZone, Offset } from './local-time.ts';
import { namedSegment, ofForm } from './occurrence.ts';
import { StepId } from './step-id.ts';

/** The maximum age of an event whose contact is identified later. */
export const attributedHours = 24;

const ofMessage = {
  campaign_id: campaignId.min(1).max(100).optional().describe('Only emails of this campaign.'),
  workflow_id: workflowId.min(1).max(100).optional().describe('Only emails of this workflow.'),
  step_id: StepId.optional().describe('Only emails of this `send` step of the workflow `workflow_id`.'),
};

/** A `when` is evaluated by segments, like the rule of a branch. */
const ofContact = {
  when: Rule.optional().describe(
    'Only contacts that match this rule start a run. It is evaluated like a branch: on data no older than what triggers the run.',
  ),
};

const needsWorkflow = { path: ['step_id'], message: 'expected the `workflow_id` of the workflow that has the step' };
const hasWorkflow = ({ step_id, workflow_id }: { step_id?: string | undefined; workflow_id?: string | undefined }) =>
  step_id === undefined || workflow_id !== undefined;

const inBody = z
  .string()
  .max(200)
  .regex(jsonPointer, 'expected a JSON pointer such as /customer/email')
  .meta({ description: 'A JSON pointer into the body.', examples: ['/customer/email'] });

const CronPattern = z
  .string()
  .trim()
  .max(100)
  .refine(isCron, 'expected a cron pattern of minute, hour, day, month and weekday that occurs at some time, such as 0 9 * * mon')
  .meta({ description: 'Minute, hour, day, month and weekday.', examples: ['0 9 * * mon'] });

const maxSpreadMs = 24 * 60 * 60 * 1_000;

const Spread = z
  .string()
  .max(50)
  .refine(
    (text) => (durationMs(text) ?? 0) > 0 && (durationMs(text) ?? 0) <= maxSpreadMs,
    'expected an ISO 8601 duration of at most P1D, such as PT2H',
  )
  .meta({
    description:
      'Spreads the starts of the runs evenly over this time after each of the times, so that emails are not all sent at once. Default: all start at once.',
    examples: ['PT2H'],
  });

export const Trigger = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('manual') }),
    z.strictObject({ type: z.literal('segment_entered'), segment_id: namedSegment, ...ofContact }),
    z.strictObject({ type: z.literal('segment_left'), segment_id: namedSegment, ...ofContact }),
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
    z.strictObject({ type: z.literal('message_opened'), ...ofMessage, ...ofContact }).refine(hasWorkflow, needsWorkflow),
    z
      .strictObject({
        type: z.literal('message_clicked'),
        ...ofMessage,
        url: z
          .url({ protocol: /^https?$/, error: 'expected a URL such as https://shop.example.com/sale' })
          .max(2_000)
          .optional()
          .describe('Only clicks of links to this URL, whatever their `utm_` parameters.'),
        ...ofContact,
      })
      .refine(hasWorkflow, needsWorkflow),
    z.strictObject({ type: z.literal('message_bounced'), ...ofMessage, ...ofContact }).refine(hasWorkflow, needsWorkflow),
    z.strictObject({ type: z.literal('message_refused'), ...ofMessage, ...ofContact }).refine(hasWorkflow, needsWorkflow),
    z.strictObject({ type: z.literal('form_submitted'), ...ofForm, ...ofContact }),
    z.strictObject({ type: z.literal('form_confirmed'), ...ofForm, ...ofContact }),
    z.strictObject({
      type: z.literal('webhook_received'),
      contact: z
        .strictObject({ email: inBody.optional(), contact_id: inBody.optional() })
        .refine(({ email, contact_id }) => (email === undefined) !== (contact_id === undefined), {
          path: ['email'],
          message: 'expected exactly one of `email` and `contact_id`',
        })
        .meta(exactlyOneOf(['email', 'contact_id']))
        .describe('Where the body of a request names its contact.'),
      generation: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(1)
        .describe('Part of the inbound URL, see GET /v2/workflows/:id/hook. Raise it to replace a URL that has become known.'),
    }),
    z.strictObject({
      type: z.literal('schedule'),
      cron: CronPattern,
      timezone: Timezone.default('UTC'),
      segment_id: namedSegment.describe('A run starts for each member of this segment at each of the times.'),
      spread: Spread.optional(),
    }),
    z.strictObject({
      type: z.literal('date'),
      field: DateField,
      offset: Offset.optional(),
      time: TimeOfDay.default('09:00').describe("The time of day in the contact's time zone."),
      timezone: FallbackZone,
      yearly: z.boolean().default(false).describe('Every year on this day, as for a birthday. 29 February is 28 February in other years.'),
    }),
  ])
  .meta({ id: 'WorkflowTrigger', description: 'What starts a run. Every workflow can also be triggered through the API.' });
export type Trigger = z.output<typeof Trigger>;

/** The rule that contacts must match to start a run. */
export const ruleOf = (trigger: Trigger): Rule | undefined => ('when' in trigger ? trigger.when : undefined);

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

/** What names a contact's stay in a segment, so that it starts a workflow once, by the event or by an activation. */
export const membershipKey = (segmentId: string, enteredAt: string) => `entered ${segmentId} ${enteredAt}`;

/** The first time after `now` that the pattern describes; undefined when there is none. */
export const nextCronTime = (pattern: string, timezone: string, now: Date): Date | undefined =>
  new Cron(pattern, { timezone, paused: true }).nextRun(now) ?? undefined;

function isCron(pattern: string): boolean {
  if (pattern.split(/\s+/).length !== 5) return false;
  try {
    return nextCronTime(pattern, 'UTC', new Date('2026-01-01T00:00:00Z')) !== undefined;
  } catch {
    return false;
  }
}
