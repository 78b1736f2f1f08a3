import { fieldOfColumn } from '@mp/contracts/column-synonyms';
import { invalid } from '@mp/contracts/errors';
import { fullNameTarget } from '@mp/contracts/import-cells';
import { contactColumns, ownColumns, readOnlyColumns } from '@mp/contracts/import-columns';
import { z } from 'zod';
import { maxAttributeKeys } from '../attributes/attribute-type.ts';
import { type MatchOn, matchable } from '../contacts/matching.ts';
import { attributeColumn } from '../files/columns.ts';

const isAttribute = (name: string) => attributeColumn(name) !== undefined;
const isTarget = (name: string) => name === fullNameTarget || contactColumns.some((column) => column === name) || isAttribute(name);

const Target = z
  .string()
  .max(200)
  .refine(isTarget, 'expected a contact field such as email or address.city, attributes.<key>, or null to skip the column');

/** The field each column fills, by column name; null skips the column. */
export const ColumnMapping = z.record(z.string().max(500), Target.nullable());
export type ColumnMapping = z.infer<typeof ColumnMapping>;

/** The columns of an export from an account with the maximum number of attributes, without the columns added to error files. */
const maxColumns = readOnlyColumns.length + contactColumns.length + maxAttributeKeys;

/**
 * The field each column of a file fills, in column order: as mapped by the caller, else the field with its name, else null.
 * Throws VALIDATION_ERROR if rows could not find their contact, or two columns fill the same field.
 */
export function mapColumns(header: readonly string[], mapping: ColumnMapping, matchOn: MatchOn): (string | null)[] {
  if (header.length > maxColumns + ownColumns(header))
    throw invalid('/body', 'too_many_columns', `A file can have at most ${maxColumns} columns; this one has ${header.length}.`);
  const fillers = new Map(Object.entries(mapping));
  // Spreadsheets often leave columns without a name; these fill nothing, so duplicates are harmless.
  const doubled = doubledIn(fillers.has('') ? header : header.filter(Boolean));
  if (doubled !== undefined)
    throw invalid(
      '/body',
      'doubled_column',
      `Columns ${placesOf(doubled, header)} have the same name, ${JSON.stringify(doubled)}; rename one of them.`,
    );
  const names = new Set(header);
  const unknown = [...fillers.keys()].find((name) => !names.has(name));
  if (unknown !== undefined)
    throw invalid(
      '/query/mapping',
      'missing_column',
      `The file has no column ${JSON.stringify(unknown)}. Its columns are ${header.slice(0, 20).join(', ')}.`,
    );
  const targets = header.map((name) => (fillers.has(name) ? (fillers.get(name) ?? null) : fieldOfColumn(name, isAttribute)));
  const filled = targets.filter((target) => target !== null);
  // `attributes.a` and `attributes.a:number` are the same field.
  const twice = doubledIn(filled.flatMap((target) => (target === fullNameTarget ? ['first_name', 'last_name'] : [withoutType(target)])));
  if (twice !== undefined) throw invalid('/query/mapping', 'doubled_target', `Two columns map to ${twice}; map one of them to null.`);
  const tried = matchable(matchOn);
  if (!filled.some((target) => tried.some((name) => name === target)))
    throw invalid(
      '/body',
      'missing_column',
      `No column maps to ${tried.join(' or ')}, which rows are matched on; map one in mapping. The columns are ${header.slice(0, 20).join(', ')}.`,
    );
  return targets;
}

/** The columns, from 0, that match no field and were not mapped; without unnamed ones and those added to error files. */
export function unmatchedColumns(header: readonly string[], targets: readonly (string | null)[], mapping: ColumnMapping): number[] {
  const own = ownColumns(header);
  const decided = new Set(Object.keys(mapping));
  return header.flatMap((name, index) => (index >= own && targets[index] === null && name !== '' && !decided.has(name) ? [index] : []));
}

function doubledIn(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function withoutType(target: string): string {
  const attribute = attributeColumn(target);
  return attribute ? `attributes.${attribute.key}` : target;
}

/** `3 and 5`, counted from 1. */
const placesOf = (name: string, header: readonly string[]) =>
  header
    .flatMap((one, index) => (one === name ? [index + 1] : []))
    .slice(0, 2)
    .join(' and ');
