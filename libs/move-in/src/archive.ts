import { strFromU8, unzipSync } from 'fflate';
import Papa from 'papaparse';
import { SourceError } from './errors.ts';
import type { ArchiveFile, Batch, MovedRecord } from './records.ts';

/** Together; an archive of a few bytes can say that it has terabytes. */
const maxBytes = 1024 ** 3;
const maxFiles = 10_000;

const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

const textOf = (bytes: Uint8Array) => {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new SourceError('The file is in UTF-16. Save it as UTF-8.');
  return strFromU8(bytes).replace(/^\uFEFF/, '');
};

function unzipped(bytes: Uint8Array, wanted: (name: string, size: number) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: ({ name, originalSize }) => wanted(name, originalSize) });
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(`The ZIP archive cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The files of an archive that can have something to import; a file that is not an archive is the only one. */
export function filesOf(name: string, bytes: Uint8Array): ArchiveFile[] {
  if (!isZip(bytes)) {
    if (bytes.length > maxBytes) throw new SourceError('The file is larger than 1 GiB.');
    return [{ name, text: () => textOf(bytes) }];
  }
  const names: string[] = [];
  let total = 0;
  unzipped(bytes, (file, size) => {
    if (!/\.(csv|html?)$/i.test(file) || /(^|\/)(__MACOSX\/|\._)/.test(file)) return false;
    total += size;
    if (total > maxBytes || names.push(file) > maxFiles) throw new SourceError('The archive is larger than 1 GiB unpacked.');
    return false;
  });
  return names.map((file) => ({ name: file, text: () => textOf(unzipped(bytes, (one) => one === file)[file] ?? new Uint8Array()) }));
}

/** A row of a table by the names of its columns, in the form of `columnKey`. */
export type Cells = ReadonlyMap<string, string>;

/** `opt_in_time` for `Opt-in Time`. */
export const columnKey = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');

export type Table = { columns: readonly string[]; keys: readonly string[]; rows: Iterable<Cells> };

/** A table with a header. Rows that are shorter or longer than it are read as far as they go. */
export function tableOf(text: string): Table {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy', delimitersToGuess: [',', ';', '\t'] });
  const [columns = [], ...lines] = data;
  const keys = columns.map(columnKey);
  function* rows() {
    for (const cells of lines) yield new Map(keys.map((key, index) => [key, cells[index]?.trim() ?? ''] as const));
  }
  return { columns, keys, rows: { [Symbol.iterator]: rows } };
}

/** `2024-03-01 10:00:00`, without a zone, is UTC. */
export const utc = (text: string | undefined): string | undefined =>
  text && /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text || undefined;

/** The name of a file without its folders and ending. */
export const baseName = (name: string) => (name.split('/').at(-1) ?? name).replace(/\.\w+$/, '');

const recordsPerBatch = 5_000;

/** The records of an archive as the pages of a system, which are read again from the start to resume after one. */
export function* batchesOf(records: Iterable<MovedRecord>, after: string | null): Iterable<Batch> {
  const done = Number(after ?? 0);
  let read = 0;
  let batch: MovedRecord[] = [];
  for (const record of records) {
    read += 1;
    if (read <= done) continue;
    batch.push(record);
    if (batch.length < recordsPerBatch) continue;
    yield { records: batch, next: String(read) };
    batch = [];
  }
  yield { records: batch, next: String(read) };
}
