import { exactlyOneOf } from '@mp/contracts/constraints';
import { workflowId } from '@mp/contracts/ids';
import { z } from 'zod';
import { writableFields } from './contact-fields.ts';
import { jsonPointer } from './json-pointer.ts';
import { namedSegment } from './occurrence.ts';
import { templateOfCampaigns, Variants } from './send-variants.ts';
import { passing, text } from './step-fields.ts';

const email = z.email().max(254);

const maxMessageBytes = 500 * 1024;

/** How long a run waits for the frequency cap to allow its email. */
export const maxCappedDays = 7;

export const Send = z
  .strictObject({
    ...passing,
    type: z.literal('send'),
    template_id: templateOfCampaigns
      .optional()
      .describe(
        'A template of campaigns, instead of `html` and `text`. Its current version is sent; the approved one if the settings require approval.',
      ),
    category: z
      .enum(['marketing', 'transactional'])
      .optional()
      .describe(
        '`marketing` (default) needs consent; `transactional`, for emails that the recipient expects, needs none, and ignores quiet hours and the frequency cap.',
      ),
    when_capped: z
      .enum(['skip', 'wait'])
      .optional()
      .describe(
        `What happens when the account's frequency cap forbids the email: it is skipped with the reason \`frequency_cap\` (\`skip\`, default), or the run waits until the cap allows it, for at most ${maxCappedDays} days, and then skips it (\`wait\`). A change of the cap applies to it within seconds.`,
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
    html: z
      .string()
      .min(1)
      .max(400_000)
      .optional()
      .describe(
        'A Liquid template with the fields of `contact`, `data.<name>` for the data of the run, and `responses.<step>.<name>` for a value that an earlier webhook step captured.',
      ),
    text: z.string().max(200_000).nullable().optional().describe('Plain text. Default: derived from `html`.'),
    track: z.strictObject({ opens: z.boolean().optional(), clicks: z.boolean().optional() }).optional(),
    variants: Variants.optional(),
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

export const UpdateContact = z
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
export const AddTag = z.strictObject({ ...passing, type: z.literal('add_tag'), tag });
export const RemoveTag = z.strictObject({ ...passing, type: z.literal('remove_tag'), tag });

const segment_id = namedSegment.describe('A static segment.');
export const AddToSegment = z.strictObject({ ...passing, type: z.literal('add_to_segment'), segment_id });
export const RemoveFromSegment = z.strictObject({ ...passing, type: z.literal('remove_from_segment'), segment_id });

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

export const Webhook = z.strictObject({
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

export const StartWorkflow = z.strictObject({
  ...passing,
  type: z.literal('start_workflow'),
  workflow_id: workflowId.regex(/^workflow_[0-9a-z]{26}$/, 'expected a workflow id').describe('The workflow that the contact enters.'),
  data: z
    .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected up to 64 letters, digits, _ or -'), z.unknown())
    .default({})
    .describe('The data of the new run. Strings can contain `{{ data.<name> }}` and `{{ responses.<step>.<name> }}`.'),
});

export const TrackEvent = z.strictObject({
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

export const Notify = z.strictObject({
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
