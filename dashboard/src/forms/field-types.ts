import type { Form } from './forms.ts';

export type FieldType = Form['fields'][number]['type'];

/** The fields of a contact that a visitor can fill in. */
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

export const attributePrefix = 'attributes.';
export const isAttribute = (field: string) => field.startsWith(attributePrefix);

export const typeLabels: Readonly<Record<FieldType, string>> = {
  text: 'Text',
  textarea: 'Long text',
  email: 'Email',
  phone: 'Phone',
  number: 'Number',
  date: 'Date',
  checkbox: 'Checkbox',
  select: 'One of a list',
};

/** The types that the API accepts for a field, the usual one first. */
export function typesOf(field: string): readonly [FieldType, ...FieldType[]] {
  if (field === 'email' || field === 'phone') return [field];
  return isAttribute(field) ? ['text', 'textarea', 'number', 'date', 'checkbox', 'select'] : ['text', 'select'];
}
