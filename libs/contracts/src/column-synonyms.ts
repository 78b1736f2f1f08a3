import { contactColumns } from './import-columns.ts';

/** Common column names of other programs and the fields they fill. */
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
 * The field that a column fills by its name, such as `First name` or `E-mail`; null when the name matches no field.
 * `isAttribute` decides about names such as `attributes.seats:number`. The importer and the dashboard share this function, so
 * that the mapping shown is the one that takes effect.
 */
export function fieldOfColumn(column: string, isAttribute: (name: string) => boolean): string | null {
  const isField = (name: string) => columnNames.has(name) || isAttribute(name);
  if (isField(column)) return column;
  const name = column.trim().toLowerCase().replaceAll(/\s+/g, '_');
  return isField(name) ? name : (synonyms.get(name) ?? null);
}
