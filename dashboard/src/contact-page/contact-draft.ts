import { contactTexts } from '@mp/contracts/contact-texts';
import type { ConsentChoice } from '../consent/consent-field.tsx';
import type { DeclaredType } from '../contact-fields/attributes.ts';
import type { Contact, ContactChange, NewContact } from '../contacts/contacts.ts';

const places = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'] as const;
export type PlainField = (typeof contactTexts)[number];
export type PlaceField = (typeof places)[number];

export const attributeTypes = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'date', label: 'Date' },
  { value: 'list', label: 'List' },
] as const;
export type AttributeType = (typeof attributeTypes)[number]['value'];
export type AttributeDraft = { id: number; key: string; type: AttributeType; text: string };

const formTypes: Readonly<Record<DeclaredType, AttributeType>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  string_list: 'list',
};

export const formTypeOf = (declared: DeclaredType | undefined): AttributeType | undefined => declared && formTypes[declared];

/** The state of the form, as typed. */
export type ContactDraft = Record<PlainField, string> & {
  address: Record<PlaceField, string>;
  tags: string[];
  attributes: AttributeDraft[];
  /** For new contacts only; the consent of an existing contact has its own page. */
  consent: ConsentChoice;
};

export function draftOf(contact: Contact | undefined): ContactDraft {
  const text = <Name extends string>(names: readonly Name[], from: Partial<Record<Name, string | null>> | null | undefined) =>
    Object.fromEntries(names.map((name) => [name, from?.[name] ?? ''])) as Record<Name, string>;
  return {
    ...text(contactTexts, contact),
    address: text(places, contact?.address),
    tags: contact?.tags ?? [],
    attributes: Object.entries(contact?.attributes ?? {}).map(([key, value], id) => ({ id, key, ...attributeDraft(value) })),
    consent: '',
  };
}

function attributeDraft(value: Contact['attributes'][string]): Pick<AttributeDraft, 'type' | 'text'> {
  if (Array.isArray(value)) return { type: 'list', text: value.join(', ') };
  if (typeof value === 'number') return { type: 'number', text: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', text: value ? 'yes' : 'no' };
  return { type: 'text', text: value };
}

function attributeOf({ type, text }: AttributeDraft): string | number | boolean | string[] {
  if (type === 'number') return Number(text);
  if (type === 'date') return text.trim();
  if (type === 'boolean') return text === 'yes';
  if (type === 'list')
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
}

const filled = <Name extends string>(values: Record<Name, string>) =>
  Object.fromEntries(Object.entries<string>(values).filter(([, value]) => value.trim() !== ''));

const attributesOf = (drafts: readonly AttributeDraft[]) =>
  Object.fromEntries(
    drafts.filter(({ key, text }) => key.trim() !== '' && text.trim() !== '').map((one) => [one.key.trim(), attributeOf(one)]),
  );

/** The request body for a new contact: the fields that are filled in. */
export function newContactOf({ address, tags, attributes, consent, ...fields }: ContactDraft): NewContact {
  const place = filled(address);
  const values = attributesOf(attributes);
  return {
    ...filled(fields),
    ...(Object.keys(place).length > 0 && { address: place }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(values).length > 0 && { attributes: values }),
    ...(consent && { consent: { email: { status: consent } } }),
  };
}

/** The fields that differ from the loaded contact: emptied fields become null, untouched fields are omitted. */
export function changeOf(contact: Contact, draft: ContactDraft): ContactChange {
  const before = draftOf(contact);
  const changed = <Name extends string>(names: readonly Name[], was: Readonly<Record<Name, string>>, is: Readonly<Record<Name, string>>) =>
    Object.fromEntries(names.filter((name) => was[name] !== is[name]).map((name) => [name, is[name].trim() || null]));
  const address = changed(places, before.address, draft.address);
  const values = attributesOf(draft.attributes);
  const gone = Object.keys(contact.attributes).filter((key) => !(key in values));
  const differing = Object.entries(values).filter(([key, value]) => JSON.stringify(contact.attributes[key]) !== JSON.stringify(value));
  const attributes = Object.fromEntries([...differing, ...gone.map((key) => [key, null])]);
  return {
    ...changed(contactTexts, before, draft),
    ...(Object.keys(address).length > 0 && { address: { ...contact.address, ...address } }),
    ...(JSON.stringify(contact.tags) !== JSON.stringify(draft.tags) && { tags: draft.tags }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

/** A contact as two versions of it are compared: attributes by their names. */
export const comparableContact = ({ consent: _, attributes, ...fields }: ContactDraft): object => ({
  ...fields,
  attributes: Object.fromEntries(attributes.map(({ key, text }) => [key, text])),
});

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(text) && !Number.isNaN(Date.parse(text));

/** Whether the text is not a valid value of the type. */
export const isWrong = ({ type, text }: AttributeDraft) =>
  text.trim() !== '' && ((type === 'number' && !Number.isFinite(Number(text))) || (type === 'date' && !isDate(text.trim())));

export const validateContact = {
  attributes: (attributes: readonly AttributeDraft[]) => {
    const wrong = attributes.find(isWrong);
    if (!wrong) return null;
    return `Enter a ${wrong.type === 'date' ? 'date' : 'number'} for ${wrong.key || 'the attribute'}, such as ${wrong.type === 'date' ? '2026-05-01' : '4.5'}.`;
  },
};
