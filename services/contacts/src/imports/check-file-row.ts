import { readOnlyColumns } from '@mp/contracts/import-columns';
import { z } from 'zod';
import { AttributeType, type AttributeTypes } from '../attributes/attribute-type.ts';
import { checkRow, type FailedRow, type UpsertRow } from '../contacts/upsert-contacts.ts';
import { attributeTypesMember } from '../files/columns.ts';
import type { ImportJob } from './imports-store.ts';
import type { FileRow } from './read-rows.ts';
import { bodyOf, filledColumns, statedTypes } from './row-body.ts';

/** A checked row, with the row as sent, the byte at which the next one starts, and the attribute types it states. */
export type CheckedRow = Pick<FileRow, 'cells' | 'end'> & { row: UpsertRow | FailedRow; stated: AttributeTypes };

/** The attribute keys known from the columns, before any row is read. */
export const attributeKeysOf = ({ targets }: ImportJob) =>
  filledColumns(targets ?? []).flatMap(({ attribute }) => (attribute ? [attribute.key] : []));

/** Checks each row of a file on its own. `declared` has the account's types for the attributes of the columns. */
export function createCheckFileRow({ header, targets, match_on }: ImportJob, declared: AttributeTypes) {
  const columns = filledColumns(targets ?? []);
  const statedByColumns = statedTypes(columns);

  return function checkFileRow(row: FileRow, index: number): CheckedRow {
    const { cells, end } = row;
    const failed = (message: string, path?: string): CheckedRow => ({
      row: { index, status: 'error', error: { code: 'VALIDATION_ERROR', message, ...(path && { path }) } },
      cells,
      end,
      stated: none,
    });
    if ('problem' in row) return failed(row.problem.message);
    const { value } = row;
    if (header && Array.isArray(value)) {
      if (value.length !== header.length) return failed(`The row has ${value.length} columns, but the header has ${header.length}.`);
      return { row: checkRow(index, bodyOf(columns, value.map(String), declared), match_on), cells, end, stated: statedByColumns };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return failed('The line is not a JSON object.');
    const members = new Map<string, unknown>(Object.entries(value));
    const stated = StatedTypes.safeParse(members.get(attributeTypesMember));
    if (!stated.success)
      return failed(`${attributeTypesMember}: expected an object of types by key, such as {"note": "string"}.`, `/${attributeTypesMember}`);
    for (const name of ignoredFields) members.delete(name);
    return { row: checkRow(index, Object.fromEntries(members), match_on), cells, end, stated: stated.data };
  };
}

const ignoredFields = [...readOnlyColumns, attributeTypesMember];
const none: AttributeTypes = new Map();

const StatedTypes = z
  .record(z.string(), AttributeType)
  .optional()
  .transform((types): AttributeTypes => (types ? new Map(Object.entries(types)) : none));
