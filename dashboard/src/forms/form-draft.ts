import type { Brand } from '../brand/brand.ts';
import { fieldLabel } from '../contact-fields/field-labels.ts';
import type { DefaultSender } from '../sending/sending-settings.ts';
import { type FieldType, isAttribute, typesOf } from './field-types.ts';
import type { Form, NewForm } from './forms.ts';
import { filledIn, type Language, type Texts, textsOrNull } from './texts.ts';

type After = Form['after_submission'];
type Consent = Form['consents'][number];

export type OptionDraft = { value: string; label: Texts };
/** `key` tells fields apart while they are moved and renamed. */
export type FieldDraft = { key: string; field: string; type: FieldType; label: Texts; required: boolean; options: OptionDraft[] };
export type ConsentDraft = Omit<Consent, 'text'> & { text: Texts };
export type AfterDraft = { kind: After['kind']; text: Texts; url: string };

/** The state of the builder, as typed: the request body with text instead of null. */
export type FormDraft = {
  name: string;
  title: Texts;
  description: Texts;
  submit_label: Texts;
  language: Language;
  fields: FieldDraft[];
  consents: ConsentDraft[];
  sender: { email: string; name: string };
  double_opt_in: { enabled: boolean; template_id: string; reminder: boolean };
  tags: string[];
  segment_id: string;
  overwrite: boolean;
  after_submission: AfterDraft;
  after_confirmation: AfterDraft;
  look: { primary: string; background: string; surface: string; text: string; logo_url: string };
  allowed_origins: string[];
  captcha: Form['captcha'];
  reject_disposable_addresses: boolean;
};

const afterDraftOf = (after: After): AfterDraft =>
  after.kind === 'redirect' ? { kind: 'redirect', text: {}, url: after.url } : { kind: 'message', text: after.text ?? {}, url: '' };

const afterOf = ({ kind, text, url }: AfterDraft): After =>
  kind === 'redirect' ? { kind, url: url.trim() } : { kind, text: textsOrNull(text) };

const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

export const draftOf = (form: Form): FormDraft => ({
  name: form.name,
  title: form.title ?? {},
  description: form.description ?? {},
  submit_label: form.submit_label ?? {},
  language: form.language,
  fields: form.fields.map((field) => ({ ...field, key: field.field })),
  consents: form.consents,
  sender: { email: form.sender?.email ?? '', name: form.sender?.name ?? '' },
  double_opt_in: { ...form.double_opt_in, template_id: form.double_opt_in.template_id ?? '' },
  tags: form.tags,
  segment_id: form.segment_id ?? '',
  overwrite: form.overwrite,
  after_submission: afterDraftOf(form.after_submission),
  after_confirmation: afterDraftOf(form.after_confirmation),
  look: lookDraftOf(form.look),
  allowed_origins: form.allowed_origins,
  captcha: form.captcha,
  reject_disposable_addresses: form.reject_disposable_addresses,
});

const lookDraftOf = ({ primary, background, surface, text, logo_url }: Form['look']): FormDraft['look'] => ({
  ...{ primary, background, surface, text },
  logo_url: logo_url ?? '',
});

/** An option is stored under its label at first, and keeps that value when it is renamed. */
const optionOf = ({ value, label }: OptionDraft, language: Language) => ({
  value: value === '' ? (label[language] ?? '').trim() : value,
  label: filledIn(label),
});

/** What the builder does not show, such as the limits and own CSS, is left out, so that it stays as it is. */
export const formOf = (draft: FormDraft): NewForm => ({
  name: draft.name,
  title: textsOrNull(draft.title),
  description: textsOrNull(draft.description),
  submit_label: textsOrNull(draft.submit_label),
  language: draft.language,
  fields: draft.fields.map(({ field, type, label, required, options }) => ({
    ...{ field: field.trim(), type, label: filledIn(label), required },
    options: type === 'select' ? options.map((option) => optionOf(option, draft.language)) : [],
  })),
  consents: draft.consents.map((consent) => ({ ...consent, text: filledIn(consent.text) })),
  sender: orNull(draft.sender.email) === null ? null : { email: draft.sender.email.trim(), name: orNull(draft.sender.name) },
  double_opt_in: { ...draft.double_opt_in, template_id: orNull(draft.double_opt_in.template_id) },
  tags: draft.tags,
  segment_id: orNull(draft.segment_id),
  overwrite: draft.overwrite,
  after_submission: afterOf(draft.after_submission),
  after_confirmation: afterOf(draft.after_confirmation),
  look: { ...draft.look, logo_url: orNull(draft.look.logo_url) },
  allowed_origins: draft.allowed_origins,
  captcha: draft.captcha,
  reject_disposable_addresses: draft.reject_disposable_addresses,
});

const untilUnused = (name: (attempt: number) => string, used: readonly string[]): string => {
  let attempt = 1;
  while (used.includes(name(attempt))) attempt += 1;
  return name(attempt);
};

/** A field that the form does not have yet, with the label that it usually has. */
export function newField(field: string, { fields, language }: Pick<FormDraft, 'fields' | 'language'>): FieldDraft {
  const used = fields.map(({ key }) => key);
  return {
    key: used.includes(field) || isAttribute(field) ? untilUnused((attempt) => `new ${attempt}`, used) : field,
    field,
    type: typesOf(field)[0],
    label: language === 'en' && !isAttribute(field) ? { en: fieldLabel(field) } : {},
    required: field === 'email',
    options: [],
  };
}

const wording = {
  email: 'I would like to receive news and offers by email. I can unsubscribe at any time.',
  sms: 'I would like to receive news and offers by text message. I can unsubscribe at any time.',
} as const;

/** A request for consent under a key that the form does not use yet. */
export const newConsent = (
  channel: Consent['channel'],
  { consents, language }: Pick<FormDraft, 'consents' | 'language'>,
): ConsentDraft => ({
  key: untilUnused(
    (attempt) => (attempt === 1 ? channel : `${channel}-${attempt}`),
    consents.map(({ key }) => key),
  ),
  channel,
  topics: [],
  text: language === 'en' ? { en: wording[channel] } : {},
  display: 'checkbox',
  required: false,
});

/** A newsletter form in the look of the brand. */
export function newDraft(brand: Brand, sender: DefaultSender | null): FormDraft {
  const { primary, background, surface, text } = brand.colors;
  const empty = { fields: [], consents: [], language: 'en' as const };
  return {
    name: '',
    title: { en: 'Stay in touch' },
    description: {},
    submit_label: { en: 'Subscribe' },
    language: 'en',
    fields: [newField('email', empty), newField('first_name', empty)],
    consents: [{ ...newConsent('email', empty), required: true }],
    sender: { email: sender?.email ?? '', name: sender?.name ?? brand.company_name ?? '' },
    double_opt_in: { enabled: true, template_id: '', reminder: false },
    tags: [],
    segment_id: '',
    overwrite: false,
    after_submission: { kind: 'message', text: {}, url: '' },
    after_confirmation: { kind: 'message', text: {}, url: '' },
    look: { primary, background, surface, text, logo_url: brand.logo_url?.startsWith('https://') ? brand.logo_url : '' },
    allowed_origins: [],
    captcha: 'auto',
    reject_disposable_addresses: false,
  };
}

/** The list with the item at one position moved to another; the same list if there is none. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
