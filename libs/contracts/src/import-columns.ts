import { contactTexts } from './contact-texts.ts';

/** The contact fields that a column can fill, in the order an export writes them. Attributes follow as `attributes.<key>:<type>`. */
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

/** The read-only columns that an export writes first. */
export const readOnlyColumns: readonly string[] = ['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at'];

/** The columns that a file of failed rows puts before the original ones. */
const errorColumns: readonly string[] = ['row', 'field', 'code', 'message'];

/** The names of the error columns beside the original header, prefixed where needed so that no name occurs twice. */
export function errorColumnsBeside(header: readonly string[]): string[] {
  const taken = new Set(header);
  const free = (name: string): string => (taken.has(name) ? free(`error_${name}`) : name);
  return errorColumns.map(free);
}

/**
 * The number of leading columns that an export or a file of failed rows adds, which an import ignores. In a file from another
 * program a column such as `id` or `status` is data, so only the exact sequences count.
 */
export function ownColumns(header: readonly string[]): number {
  const beginsAt = (start: number, names: readonly string[]) =>
    names.every((name, index) => header[start + index]?.replace(/^(?:error_)+/, '') === name);
  let own = 0;
  while (beginsAt(own, errorColumns)) own += errorColumns.length;
  return beginsAt(own, readOnlyColumns) ? own + readOnlyColumns.length : own;
}
