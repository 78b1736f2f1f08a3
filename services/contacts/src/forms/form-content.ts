import { Channel, ConsentTopic, Email } from '@mp/contracts/contact';
import { namedSegment, templateId } from '@mp/contracts/ids';
import { Origin } from '@mp/contracts/origin';
import { PageLanguage } from '@mp/contracts/page-language';
import { Line, Name } from '@mp/contracts/text';
import { isId } from '@mp/ids';
import { z } from 'zod';
import { attributeKey, tag } from '../contacts/contact-body.ts';

/** Text of several lines without other control characters. */
const lines = (max: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(1)
    .max(max)
    .refine((text) => !/[^\P{Cc}\n]/u.test(text), 'expected text without control characters');

const inLanguages = (text: z.ZodType<string>) =>
  z
    .partialRecord(PageLanguage, text.describe('The text in this language.'))
    .refine((texts) => Object.keys(texts).length > 0, 'expected the text in at least one language');

/** A text by language; the page shows that of the visitor, else that of the form. */
export const Label = inLanguages(Name(300));
export type Label = z.infer<typeof Label>;
const Paragraph = inLanguages(lines(2_000));

/** The fields of a contact that a visitor can set. An external ID is the account's own and not among them. */
export const contactFields = [
  'email',
  'phone',
  'first_name',
  'last_name',
  'company',
  'job_title',
  'address.line1',
  'address.line2',
  'address.city',
  'address.region',
  'address.postal_code',
  'address.country',
] as const;

export const fieldTypes = ['text', 'textarea', 'email', 'phone', 'number', 'date', 'checkbox', 'select'] as const;
export type FieldType = (typeof fieldTypes)[number];

const attributePrefix = 'attributes.';

/** The key of the attribute that the field sets; undefined for a field of the contact. */
export const attributeOf = (field: string) => (field.startsWith(attributePrefix) ? field.slice(attributePrefix.length) : undefined);

const isFieldName = (name: string) => {
  const key = attributeOf(name);
  return key === undefined ? contactFields.some((one) => one === name) : attributeKey.safeParse(key).success;
};

/** The types that a field can have: an attribute any that a contact has no own field for. */
function typesFor(field: string): readonly FieldType[] {
  if (field === 'email') return ['email'];
  if (field === 'phone') return ['phone'];
  if (attributeOf(field) === undefined) return ['text', 'select'];
  return ['text', 'textarea', 'number', 'date', 'checkbox', 'select'];
}

const maxFields = 30;
const maxOptions = 250;
const maxConsents = 5;

export const FormField = z
  .strictObject({
    field: z
      .string()
      .max(80)
      .refine(isFieldName, `expected one of ${contactFields.join(', ')}, or attributes.<key>`)
      .describe('The field of the contact, such as `first_name`, or `attributes.<key>`.'),
    type: z.enum(fieldTypes).describe('How it is entered and checked.'),
    label: Label.describe('The label by language.'),
    required: z.boolean().default(false).describe('Whether it must be filled in.'),
    options: z
      .array(z.strictObject({ value: Name(200).describe('The value that is stored.'), label: Label.describe('Its label by language.') }))
      .max(maxOptions)
      .default([])
      .describe('The values to choose from, for the type `select`.'),
  })
  .superRefine(({ field, type, options }, context) => {
    const types = typesFor(field);
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message, params: { code: 'invalid_value' } });
    if (!types.includes(type)) issue('type', `expected ${types.join(' or ')} for ${field}`);
    if ((type === 'select') !== options.length > 0) issue('options', 'expected options for the type select, and for no other');
    if (new Set(options.map(({ value }) => value)).size < options.length) issue('options', 'expected each value once');
  });
export type FormField = z.output<typeof FormField>;

export const FormConsent = z.strictObject({
  key: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'expected up to 64 lower-case letters, digits, _ or -')
    .describe('What submissions call it.'),
  channel: Channel.describe('The channel that the visitor consents to.'),
  topics: z
    .array(ConsentTopic)
    .max(10)
    .refine((topics) => new Set(topics).size === topics.length, 'expected each topic once')
    .default([])
    .describe('The topics of the channel; the whole channel if empty.'),
  text: Paragraph.describe('The wording by language. It is stored with each submission as evidence.'),
  display: z
    .enum(['checkbox', 'notice'])
    .default('checkbox')
    .describe('`checkbox`: the visitor agrees by ticking it. `notice`: the visitor agrees by submitting the form.'),
  required: z.boolean().default(false).describe('Whether the form can only be submitted with this consent.'),
});
export type FormConsent = z.output<typeof FormConsent>;

const https = z.url({ protocol: /^https$/, error: 'expected a URL such as https://example.com/thanks' }).max(2_000);

const After = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message').describe('The page shows a message.'),
    text: Paragraph.nullable().default(null).describe('The message by language; a text of the platform if null.'),
  }),
  z.strictObject({
    kind: z.literal('redirect').describe('The visitor is sent to another page.'),
    url: https.describe('The address, with https.'),
  }),
]);
export type After = z.output<typeof After>;
const message: After = { kind: 'message', text: null };

const color = (of: string) =>
  z
    .string()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'expected a color such as #1f2933')
    .describe(of);

const look = {
  primary: color('Buttons and links.'),
  background: color('The page around the form.'),
  surface: color('The area of the form.'),
  text: color('Text.'),
  logo_url: https.nullable().describe('The logo above the form.'),
  css: z
    .string()
    .max(20_000)
    .refine((css) => !/<[/!]/.test(css), 'expected CSS without HTML')
    .nullable()
    .describe('Your own CSS for the hosted page, after that of the platform. It loads nothing from elsewhere.'),
};

const limits = {
  submissions_per_hour: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .describe('The maximum number of submissions per hour; further ones are rejected with 429.'),
  confirmations_per_hour: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .describe('The maximum number of confirmation emails per hour. Further submissions are accepted, but get none.'),
};

const doubleOptIn = {
  enabled: z
    .boolean()
    .describe('Whether consent waits until the visitor confirms it by email. A contact that has unsubscribed must confirm in any case.'),
  template_id: templateId
    .refine((id) => isId('template', id), 'expected a template ID, such as template_01h…')
    .nullable()
    .describe('The template of the confirmation email, with the link `{{ data.confirm_url }}`; a text of the platform if null.'),
  reminder: z.boolean().describe('Whether the confirmation email is sent again, once, after two days.'),
};

const Sender = z.strictObject({
  email: z.string().trim().normalize('NFC').pipe(Email).describe('The address of the sender.'),
  name: Line(200).nullable().default(null).describe('The name of the sender.'),
});

const unique = (values: readonly string[]) => new Set(values).size === values.length;

const fields = z
  .array(FormField)
  .min(1)
  .max(maxFields)
  .refine((all) => unique(all.map(({ field }) => field)), 'expected each field once')
  .refine((all) => all.some(({ field, required }) => field === 'email' && required), 'expected the field email, required')
  .describe('What the visitor fills in, in this order. The email is always among it, because it identifies the contact.');

const consents = z
  .array(FormConsent)
  .max(maxConsents)
  .refine((all) => unique(all.map(({ key }) => key)), 'expected each key once')
  .describe('The consent that the form asks for.');

/** What a visitor sees and what a submission does; each change of it is a version. */
export const content = {
  title: Label.nullable().describe('The heading of the page by language; the name of the form is never shown.'),
  description: Paragraph.nullable().describe('The text above the fields, by language.'),
  submit_label: Label.nullable().describe('The label of the button by language; a text of the platform if null.'),
  language: PageLanguage.describe('The language of visitors whose own has no texts.'),
  fields,
  consents,
  sender: Sender.nullable().describe('Whom confirmation emails are from. Required if the form asks for consent.'),
  double_opt_in: z.strictObject(doubleOptIn).describe('How consent is confirmed.'),
  tags: z
    .array(tag)
    .max(20)
    .describe(
      'The tags that the contact gets: at once, or when consent is confirmed if the submission waits for that. A suppressed address gets none.',
    ),
  segment_id: namedSegment.nullable().describe('The static segment that the contact is added to, at the same time as the tags.'),
  overwrite: z
    .boolean()
    .describe(
      'Whether fields that a contact already has are replaced. Otherwise only empty ones are filled, because anybody can submit an address.',
    ),
  after_submission: After.describe('What the visitor sees after the submission.'),
  after_confirmation: After.describe('What the visitor sees after confirming.'),
};

/** Nested settings; a request may omit some of their fields. */
export const nested = { look, limits, double_opt_in: doubleOptIn } as const;

export const settings = {
  look: z.strictObject(look).describe('The look of the hosted page.'),
  allowed_origins: z
    .array(Origin)
    .max(20)
    .overwrite((origins) => [...new Set(origins)])
    .describe('The origins whose pages may embed the form and submit it. The hosted page needs none.'),
  limits: z.strictObject(limits).describe('What protects the form against floods.'),
  captcha: z
    .enum(['off', 'auto', 'always'])
    .describe(
      'When a browser must solve a proof of work: never, while the form is flooded, or always. It is self-hosted, and nobody has to read images.',
    ),
  reject_disposable_addresses: z
    .boolean()
    .describe('Whether addresses of disposable email services are rejected. Each release of the platform updates the list.'),
};

export const defaults = {
  title: null,
  description: null,
  submit_label: null,
  language: 'en',
  consents: [],
  sender: null,
  double_opt_in: { enabled: true, template_id: null, reminder: false },
  tags: [],
  segment_id: null,
  overwrite: false,
  after_submission: message,
  after_confirmation: message,
  look: { primary: '#2563eb', background: '#f4f5f7', surface: '#ffffff', text: '#1f2933', logo_url: null, css: null },
  allowed_origins: [],
  limits: { submissions_per_hour: 1_000, confirmations_per_hour: 300 },
  captcha: 'auto',
  reject_disposable_addresses: false,
} as const;
