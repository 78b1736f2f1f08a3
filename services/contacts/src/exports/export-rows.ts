import type { Contact } from '@mp/contracts/contact';
import { stringify } from 'csv-stringify/sync';
import { guardFormula, unknownConsent } from '../imports/cells.ts';
import { type AttributeColumn, contactColumns, readOnlyColumns } from '../imports/columns.ts';
import type { ExportFormat } from './export.ts';

/** The first line of a file; none for lines of JSON. */
export const headerOf = (format: ExportFormat, attributes: readonly AttributeColumn[]) =>
  format === 'csv'
    ? stringify([[...readOnlyColumns, ...contactColumns, ...attributes.map(({ key, type }) => `attributes.${key}:${type}`)]])
    : '';

/** Contacts as lines of a file. In CSV nothing begins as a spreadsheet's formula would. */
export const rowsOf = (format: ExportFormat, attributes: readonly AttributeColumn[], contacts: readonly Contact[]) =>
  format === 'csv'
    ? stringify(contacts.map((contact) => cellsOf(contact, attributes)))
    : contacts.map((contact) => `${JSON.stringify(contact)}\n`).join('');

const cellsOf = (contact: Contact, attributes: readonly AttributeColumn[]) => [
  ...[...readOnlyColumns, ...contactColumns].map((column) => {
    const value = memberAt(contact, column.split('.'));
    return value === undefined && /^consent\..+\.status$/.test(column) ? unknownConsent : cellOf(value);
  }),
  ...attributes.map(({ key }) => cellOf(memberAt(contact.attributes, [key]))),
];

function memberAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return typeof value === 'object' && value !== null ? memberAt(new Map(Object.entries(value)).get(name), rest) : undefined;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return JSON.stringify(value);
  // A number is no formula, and a spreadsheet is to take it as a number.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return guardFormula(typeof value === 'string' ? value : JSON.stringify(value));
}
