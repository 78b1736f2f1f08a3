import { contactTexts } from './contact-texts.ts';

/** The contact fields a column of a file can fill, in the order in which an export writes them; attributes follow as `attributes.<key>:<type>`. */
export const contactColumns = [
  ...contactTexts,
  'source',
  'address.line1',
  'address.line2',
  'address.city',
  'address.region',
  'address.postal_code',
  'address.country',
  'tags',
  'consent.email.status',
  'consent.email.method',
  'consent.email.at',
  'consent.sms.status',
  'consent.sms.method',
  'consent.sms.at',
  'consent.topics',
] as const;

/** What an export writes before the columns that can be set. */
export const readOnlyColumns: readonly string[] = ['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at'];

/** What a file of rows that failed has before the columns that were sent. */
const errorColumns: readonly string[] = ['row', 'field', 'code', 'message'];

/** The header of a file of rows that failed, beside the one that was sent: no two columns have one name. */
export function errorColumnsBeside(header: readonly string[]): string[] {
  const taken = new Set(header);
  const free = (name: string): string => (taken.has(name) ? free(`error_${name}`) : name);
  return errorColumns.map(free);
}

/**
 * How many columns a file begins with that only our own files have, which are for reading: those of an export, of rows that
 * failed, or both. A file of another program may have a column `id` or `status` that means something.
 */
export function ownColumns(header: readonly string[]): number {
  const beginsAt = (start: number, names: readonly string[]) =>
    names.every((name, index) => header[start + index]?.replace(/^(?:error_)+/, '') === name);
  let own = 0;
  while (beginsAt(own, errorColumns)) own += errorColumns.length;
  return beginsAt(own, readOnlyColumns) ? own + readOnlyColumns.length : own;
}

/** Common column names of other programs, and the field each fills. */
const synonyms = new Map(
  Object.entries({
    'e-mail': 'email',
    email_address: 'email',
    'e-mail_address': 'email',
    mail: 'email',
    phone_number: 'phone',
    mobile: 'phone',
    firstname: 'first_name',
    given_name: 'first_name',
    lastname: 'last_name',
    surname: 'last_name',
    family_name: 'last_name',
    company_name: 'company',
    organization: 'company',
    title: 'job_title',
    city: 'address.city',
    country: 'address.country',
    region: 'address.region',
    state: 'address.region',
    zip: 'address.postal_code',
    zip_code: 'address.postal_code',
    postal_code: 'address.postal_code',
    street: 'address.line1',
    language: 'locale',
  }),
);

const columnNames = new Set<string>(contactColumns);

/**
 * The field that a column fills by its name alone, such as `First name` or `E-mail`; null when the name says nothing.
 * `isAttribute` decides about names such as `attributes.seats:number`. The importer and the dashboard share this rule, so
 * that the mapping somebody sees is the one that takes effect.
 */
export function fieldOfColumn(column: string, isAttribute: (name: string) => boolean): string | null {
  const isField = (name: string) => columnNames.has(name) || isAttribute(name);
  if (isField(column)) return column;
  const name = column.trim().toLowerCase().replaceAll(/\s+/g, '_');
  return isField(name) ? name : (synonyms.get(name) ?? null);
}
