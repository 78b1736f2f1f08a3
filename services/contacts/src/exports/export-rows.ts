import type { Contact } from '@mp/contracts/contact';
import { contactColumns, readOnlyColumns } from '@mp/contracts/import-columns';
import { guardFormula } from '@mp/service-kit/formulas';
import { stringify } from 'csv-stringify/sync';
import { type AttributeTypes, typeOfValue } from '../attributes/attribute-type.ts';
import type { EvidenceInForce } from '../consent/consent-log-store.ts';
import { attributeColumnName, attributeTypesMember, unknownConsent } from '../files/columns.ts';
import type { ExportFormat } from './export.ts';

/** The first line of a file; empty for NDJSON. */
export const headerOf = (format: ExportFormat, attributes: AttributeTypes) =>
  format === 'csv'
    ? stringify([[...readOnlyColumns, ...contactColumns, ...[...attributes].map(([key, type]) => attributeColumnName({ key, type }))]])
    : '';

type EvidenceOf = ReadonlyMap<string, readonly EvidenceInForce[]>;

/** Contacts as lines of a file. In CSV, text that a spreadsheet would run as a formula is escaped. */
export const rowsOf = (format: ExportFormat, attributes: AttributeTypes, contacts: readonly Contact[], evidence: EvidenceOf = new Map()) =>
  format === 'csv'
    ? stringify(contacts.map((contact) => cellsOf(contact, attributes)))
    : contacts.map((contact) => `${JSON.stringify(lineOf(withEvidence(contact, evidence.get(contact.id) ?? []), attributes))}\n`).join('');

/** A contact whose consents have their evidence, in the form in which an import takes it. */
function withEvidence(contact: Contact, found: readonly EvidenceInForce[]): Contact {
  if (found.length === 0) return contact;
  const { consent } = structuredClone(contact);
  for (const { channel, topic, evidence } of found) {
    const of = topic === null ? consent : consent.topics?.[topic];
    const said = of?.[channel];
    if (of && said) of[channel] = Object.assign(said, { evidence });
  }
  return { ...contact, consent };
}

/** A contact, with the types of attributes whose values alone would suggest another type. */
function lineOf(contact: Contact, types: AttributeTypes) {
  const unlike = Object.entries(contact.attributes).flatMap(([key, value]) => {
    const type = types.get(key);
    return type === undefined || type === typeOfValue(value) ? [] : [[key, type] as const];
  });
  return unlike.length === 0 ? contact : { ...contact, [attributeTypesMember]: Object.fromEntries(unlike) };
}

const cellsOf = (contact: Contact, attributes: AttributeTypes) => [
  ...[...readOnlyColumns, ...contactColumns].map((column) => {
    const value = memberAt(contact, column.split('.'));
    return value === undefined && /^consent\..+\.status$/.test(column) ? unknownConsent : cellOf(value);
  }),
  ...[...attributes.keys()].map((key) => cellOf(memberAt(contact.attributes, [key]))),
];

function memberAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return typeof value === 'object' && value !== null ? memberAt(new Map(Object.entries(value)).get(name), rest) : undefined;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return JSON.stringify(value);
  // Not escaped, so that a spreadsheet reads it as a number.
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return guardFormula(typeof value === 'string' ? value : JSON.stringify(value));
}
