import { exactlyOneOf } from '@mp/contracts/constraints';
import { templateId, workflowId } from '@mp/contracts/ids';
import { TimeOfDay } from '@mp/contracts/quiet-hours';
import { durationMs } from '@mp/rules/duration';
import { Rule } from '@mp/rules/rule';
import { conditionsOf } from '@mp/rules/where';
import { z } from 'zod';
import { writableFields } from './contact-fields.ts';
import { jsonPointer } from './json-pointer.ts';
import { DateField, FallbackZone, LocalTime, Offset } from './local-time.ts';
import { namedSegment, Occurrences } from './occurrence.ts';
import { StepId } from './step-id.ts';

export { StepId };

/** The longest delay, in days. */
export const maxDelayDays = 400;
const maxDelayMs = maxDelayDays * 24 * 60 * 60 * 1_000;

/** A single line. `definitionProblems` checks this on write, so that definitions stored before can still be read. */
const text = (maxLength: number) => z.string().trim().normalize('NFC').max(maxLength);

const step = { id: StepId, name: text(200).optional() };
const passing = {
  ...step,
  next: StepId.nullable().optional().describe('The id of the next step. Without it, the run ends after this step.'),
};

export const Duration = z
  .string()
  .max(50)
  .refine(
    (text) => (durationMs(text) ?? 0) > 0,
    'expected an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as P1D or PT2H',
  )
  .refine((text) => (durationMs(text) ?? 0) <= maxDelayMs, `a delay can be at most ${maxDelayDays} days`)
  .meta({ description: `An ISO 8601 duration of at most P${maxDelayDays}D. P1D is 24 hours.`, examples: ['P1D', 'PT2H'] });

const delays = ['for', 'until', 'until_local', 'until_date'] as const;

const Delay = z
  .strictObject({
    ...passing,
    type: z.literal('delay'),
    for: Duration.optional(),
    until: z.iso.datetime({ offset: true }).optional().describe('Wait until this time. A time in the past does not delay the run.'),
    until_local: LocalTime.optional().describe("Wait until the next time that clocks in the contact's time zone show this time."),
    until_date: z
      .strictObject({
        field: DateField,
        offset: Offset.optional(),
        time: TimeOfDay.optional().describe("The time of day in the contact's time zone. Default: the time of the date itself."),
        timezone: FallbackZone,
      })
      .optional()
      .describe('Wait until a date of the contact. A date that is missing or in the past does not delay the run.'),
  })
  .refine((delay) => delays.filter((name) => delay[name] !== undefined).length === 1, {
    path: ['for'],
    message: 'a delay needs exactly one of `for`, `until`, `until_local` and `until_date`',
  })
  .meta(exactlyOneOf(delays));

const WaitUntil = z.strictObject({
  ...step,
  type: z.literal('wait_until'),
  any: Occurrences.describe(
    'The run continues with `next` as soon as one of these happens. Fields, segments and consent are also evaluated when the run reaches the step.',
  ),
  timeout: Duration.describe('How long the run waits.'),
  next: StepId.nullable().optional().describe('The step to take when one of them happened. Without it, the run then ends.'),
  on_timeout: StepId.nullable().optional().describe('The step to take after `timeout`. Without it, the run then ends.'),
});

const Goal = z.strictObject({
  ...passing,
  type: z.literal('goal'),
  any: Occurrences.describe('The run ends as `converted` when one of these happens, at whatever step it is.'),
  within: Duration.describe(
    'How long after the start of the run the goal counts. A run that reaches this step waits for the rest of that time, and then continues with `next`.',
  ),
});

const maxWeight = 1_000;

const Split = z.strictObject({
  ...step,
  type: z.literal('split'),
  paths: z
    .array(
      z.strictObject({
        weight: z.int().min(1).max(maxWeight).describe('The share of this path, relative to the other weights.'),
        to: StepId.nullable().describe('The step to take; null ends the run.'),
      }),
    )
    .min(2)
    .max(10)
    .describe('A contact always takes the same path in one version of the workflow.'),
});

/** Conditions on what a run knows besides its contact. */
const RunConditions = conditionsOf(
  z.string().regex(/^(data|responses)\../, 'Write data.<name>, or responses.<step>.<name> for a value that a webhook step captured.'),
).meta({
  description: 'Conditions on the data of the run and on captured responses; all must match.',
  maxProperties: 10,
  examples: [{ 'data.properties.total': { gte: 100 } }],
});

const Branch = z.strictObject({
  ...step,
  type: z.literal('branch'),
  branches: z
    .array(
      z
        .strictObject({
          when: Rule.optional().describe('A rule on the contact.'),
          data: RunConditions.optional(),
          to: StepId,
        })
        .refine(({ when, data }) => (when === undefined) !== (data === undefined), {
          path: ['when'],
          message: 'expected exactly one of `when` and `data`',
        }),
    )
    .min(1)
    .max(20)
    .describe('The first branch that matches is taken.'),
  else: StepId.nullable().optional().describe('The step to take when no rule matches. Without it, the run ends after this step.'),
});

const email = z.email().max(254);

const maxMessageBytes = 500 * 1024;

const Send = z
  .strictObject({
    ...passing,
    type: z.literal('send'),
    template_id: templateId
      .regex(/^template_[0-9a-z]{26}$/, 'expected a template id')
      .optional()
      .describe('A template of campaigns, instead of `html` and `text`. Its current version is sent.'),
    category: z
      .enum(['marketing', 'transactional'])
      .optional()
      .describe(
        '`marketing` (default) needs consent; `transactional`, for emails that the recipient expects, needs none, and ignores quiet hours and the frequency cap.',
      ),
    subject: text(998).min(1).optional().describe('A Liquid template for the subject line. Default: that of the template.'),
    preview_text: z
      .string()
      .max(500)
      .nullable()
      .optional()
      .describe('The text that a mailbox shows beside the subject; a Liquid template. Default: that of `template_id`.'),
    from: z.strictObject({ email, name: text(200).nullable().optional() }),
    reply_to: email.nullable().optional().describe('The address that replies go to. Default: the sender.'),
    html: z.string().min(1).max(400_000).optional().describe('A Liquid template with the fields of `contact`.'),
    text: z.string().max(200_000).nullable().optional().describe('Plain text. Default: derived from `html`.'),
    track: z.strictObject({ opens: z.boolean().optional(), clicks: z.boolean().optional() }).optional(),
  })
  .refine((message) => Buffer.byteLength(JSON.stringify(message)) <= maxMessageBytes, {
    path: ['html'],
    message: 'a message can be at most 500 KiB',
  })
  .refine(({ template_id, html }) => (template_id === undefined) !== (html === undefined), {
    path: ['html'],
    message: 'expected exactly one of `html` and `template_id`',
  })
  .refine(({ template_id, subject }) => template_id !== undefined || subject !== undefined, {
    path: ['subject'],
    message: 'expected a subject, or a template that has one',
  })
  .refine(({ template_id, text }) => template_id === undefined || text === null || text === undefined, {
    path: ['text'],
    message: 'text is taken from the template; omit it',
  })
  .meta(exactlyOneOf(['html', 'template_id']));

const isWritable = (name: string) => writableFields.has(name);

const maxFilledFields = 50;

const UpdateContact = z
  .strictObject({
    ...passing,
    type: z.literal('update_contact'),
    set: z
      .record(z.string().max(100), z.unknown())
      .refine((members) => Object.keys(members).every(isWritable), `fields that can be set: ${[...writableFields].join(', ')}`)
      .default({})
      .describe(
        'The fields to change, as in the body of PUT /v2/contacts/:id. Strings can contain `{{ contact.<field> }}`, `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`; a string that is only one of these becomes the value with its type.',
      ),
    increment: z
      .record(z.string().regex(/^attributes\.\S.{0,199}$/, 'expected attributes.<key>'), z.number())
      .refine((members) => Object.keys(members).length <= maxFilledFields, `expected at most ${maxFilledFields} attributes`)
      .optional()
      .describe('Numbers to add to attributes, by `attributes.<key>`; negative ones subtract. A missing attribute counts as 0.'),
  })
  .refine(({ set, increment = {} }) => Object.keys(set).length + Object.keys(increment).length > 0, {
    path: ['set'],
    message: 'expected at least one field to set or increment',
  });

const tag = text(64).min(1);
const AddTag = z.strictObject({ ...passing, type: z.literal('add_tag'), tag });
const RemoveTag = z.strictObject({ ...passing, type: z.literal('remove_tag'), tag });

const segment_id = namedSegment.describe('A static segment.');
const AddToSegment = z.strictObject({ ...passing, type: z.literal('add_to_segment'), segment_id });
const RemoveFromSegment = z.strictObject({ ...passing, type: z.literal('remove_from_segment'), segment_id });

const header = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'expected a header name')
    .refine(
      (name) =>
        !/^(host|connection|content-length|content-type|transfer-encoding|upgrade|expect|te|trailer|webhook-.*|proxy-.*)$/i.test(name),
      'the platform sets this header',
    ),
  z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'expected at most 1,000 visible ASCII characters'),
);

const Webhook = z.strictObject({
  ...passing,
  type: z.literal('webhook'),
  url: z.string().max(2_000).describe('A public http:// or https:// URL on port 80, 443, or 1024 or higher.'),
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']).default('POST').describe('The HTTP method.'),
  headers: header
    .refine((headers) => Object.keys(headers).length <= 20, 'expected at most 20 headers')
    .meta({ maxProperties: 20 })
    .default({}),
  body: z
    .unknown()
    .optional()
    .describe(
      'Any JSON. Strings can contain `{{ contact.<field> }}`, `{{ run.id }}`, `{{ workflow.id }}`, `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`. Default: an object with the ids and the data.',
    ),
  capture: z
    .record(
      z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected up to 64 letters, digits, _ or -'),
      z.string().max(200).regex(jsonPointer, 'expected a JSON pointer such as /score'),
    )
    .refine((capture) => Object.keys(capture).length <= 20, 'expected at most 20 values')
    .optional()
    .describe(
      'Values of the response to keep, as JSON pointers by name. Later steps read them as `responses.<this step>.<name>`. The response can have at most 2 KiB.',
    ),
});

const StartWorkflow = z.strictObject({
  ...passing,
  type: z.literal('start_workflow'),
  workflow_id: workflowId.regex(/^workflow_[0-9a-z]{26}$/, 'expected a workflow id').describe('The workflow that the contact enters.'),
  data: z
    .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected up to 64 letters, digits, _ or -'), z.unknown())
    .default({})
    .describe('The data of the new run. Strings can contain `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`.'),
});

const TrackEvent = z.strictObject({
  ...passing,
  type: z.literal('track_event'),
  event: z
    .string()
    .trim()
    .normalize('NFC')
    .min(1)
    .max(100)
    .regex(/^[^$]/, 'names that start with $ are reserved')
    .describe('The name of the event that LeadPulse tracks for the contact.'),
  properties: z
    .record(z.string().min(1).max(100), z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]))
    .refine((properties) => Object.keys(properties).length <= 50, 'expected at most 50 properties')
    .default({})
    .describe('Texts can contain `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`.'),
});

const Notify = z.strictObject({
  ...passing,
  type: z.literal('notify'),
  user_id: z
    .string()
    .regex(/^user_[0-9a-z]{26}$/, 'expected a user id')
    .describe('The user of the account who gets an email, at most 100 an hour.'),
  subject: text(200).min(1).describe('The subject, which can contain the same placeholders as `text`.'),
  text: z
    .string()
    .trim()
    .min(1)
    .max(5_000)
    .describe(
      'Plain text; can contain `{{ contact.<field> }}`, `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`. A link to the run is added.',
    ),
});

const Exit = z.strictObject({ ...step, type: z.literal('exit'), reason: z.string().trim().max(200).optional() });

export const Step = z
  .discriminatedUnion('type', [
    Delay,
    WaitUntil,
    Branch,
    Split,
    Goal,
    Send,
    UpdateContact,
    AddTag,
    RemoveTag,
    AddToSegment,
    RemoveFromSegment,
    Webhook,
    StartWorkflow,
    TrackEvent,
    Notify,
    Exit,
  ])
  .meta({ id: 'WorkflowStep' });
export type Step = z.output<typeof Step>;

/** The steps that may follow this one. */
export const targetsOf = (step: Step): string[] => targetFieldsOf(step).map(({ to }) => to);

/** The fields of a step that name the next one, with their values. */
export function targetFieldsOf(step: Step): { field: readonly (string | number)[]; to: string }[] {
  switch (step.type) {
    case 'exit':
      return [];
    case 'branch':
      return present([...step.branches.map(({ to }, index) => [['branches', index, 'to'], to] as const), [['else'], step.else]]);
    case 'split':
      return present(step.paths.map(({ to }, index) => [['paths', index, 'to'], to] as const));
    case 'wait_until':
      return present([
        [['next'], step.next],
        [['on_timeout'], step.on_timeout],
      ]);
    default:
      return present([[['next'], step.next]]);
  }
}

const present = (targets: readonly (readonly [field: readonly (string | number)[], to: string | null | undefined])[]) =>
  targets.flatMap(([field, to]) => (to === null || to === undefined ? [] : [{ field, to }]));

/** Whether a run stays at the step for a while each time, so that a loop through it is slow. */
export const isLasting = (step: Step) => step.type === 'delay' && (step.for !== undefined || step.until_local !== undefined);

/** The default next step. */
export function nextOf(step: Step): string | null {
  if (step.type === 'branch') return step.else ?? null;
  if (step.type === 'split') return step.paths[0]?.to ?? null;
  return 'next' in step ? (step.next ?? null) : null;
}
