import type { Contact } from './contacts.ts';

/** The value of an attribute in words. */
export function attributeText(value: Contact['attributes'][string] | undefined): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}
