import { pastedTags } from './liquid-text.ts';

/** A field that an email can name: of the contact, or of what sends the email. */
export type MergeField = { field: string; label: string; fallback: string };

export const contactFields: readonly MergeField[] = [
  { field: 'contact.first_name', label: 'First name', fallback: 'there' },
  { field: 'contact.last_name', label: 'Last name', fallback: '' },
  { field: 'contact.email', label: 'Email', fallback: '' },
  { field: 'contact.company', label: 'Company', fallback: 'your company' },
  { field: 'contact.job_title', label: 'Job title', fallback: '' },
  { field: 'contact.phone', label: 'Phone', fallback: '' },
  { field: 'contact.address.city', label: 'City', fallback: 'your city' },
  { field: 'contact.address.country', label: 'Country', fallback: '' },
  { field: 'contact.external_id', label: 'External ID', fallback: '' },
  { field: 'unsubscribe_url', label: 'Unsubscribe link', fallback: '' },
];

/** What a chip shows for a field. */
export const labelOf = (field: string) =>
  contactFields.find((one) => one.field === field)?.label ??
  field
    .replace(/^coupon\./, 'Coupon ')
    .replace(/^contact\.(attributes\.?)?/, '')
    .replace(/^\[(['"])(.*)\1\]$/, '$2');

/** A subject as people read it: with the names of its fields instead of their Liquid. */
export const subjectInWords = (subject: string) => subject.replaceAll(pastedTags, (_, field: string) => `[${labelOf(field)}]`);
