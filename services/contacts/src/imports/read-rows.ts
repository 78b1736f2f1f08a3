import { isUtf8 } from 'node:buffer';
import { holdsManyMarks, maxUncheckedLength, tooManyMarks } from '@mp/service-kit/combining-marks';
import { CsvError, parse } from 'csv-parse';
import { unreadable } from './import.ts';

/**
 * One row of a file: its value or what is wrong with it, its cells (an NDJSON line is one cell), and in `end` the byte at
 * which the next row starts.
 */
export type FileRow = { end: number; cells: string[] } & ({ value: unknown } | { problem: { code: string; message: string } });

/** Larger than any contact. Without a limit, a quote that is never closed would swallow the rest of the file. */
const maxRowBytes = 1024 * 1024;

type Piece = AsyncIterable<Buffer> | Iterable<Buffer>;

type Parsed = { record: Buffer[]; end: number };

/** Reads the rows of a CSV file from byte `from`. If the rest cannot be read, throws after yielding every row before it. */
export async function* readCsv(pieces: Piece, delimiter: string, from = 0): AsyncGenerator<FileRow> {
  let parsed: Parsed[] = [];
  const parser = parse({
    delimiter,
    // Cells as bytes, to detect invalid UTF-8; the parser's types do not cover this.
    encoding: null,
    max_record_size: maxRowBytes,
    // Fixed rather than detected: a resumed read of a mixed file would detect another one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Spreadsheets often end with rows that have only delimiters.
    skip_records_with_empty_values: true,
    // Not through the parser's stream, which drops the records before a fault.
    on_record(record: unknown, { bytes }) {
      parsed.push({ record: record as Buffer[], end: from + bytes });
      return null;
    },
  });
  // The write callback reports it.
  parser.on('error', () => undefined);
  const takeParsed = () => {
    const taken = parsed;
    parsed = [];
    return taken;
  };
  try {
    for await (const piece of smaller(pieces)) {
      const fault = await settled((done) => parser.write(piece, done));
      for (const one of takeParsed()) yield rowOfRecord(one);
      if (fault) throw faultOf(fault);
    }
    const fault = await settled((done) => parser.end(done));
    for (const one of takeParsed()) yield rowOfRecord(one);
    if (fault) throw faultOf(fault);
  } finally {
    parser.destroy();
  }
}

/** Resolves with the error of a callback; undefined if there was none. */
const settled = (work: (done: (error?: Error | null) => void) => void) =>
  new Promise<Error | undefined>((resolve) => work((error) => resolve(error ?? undefined)));

const faultOf = (error: Error) => (error instanceof CsvError ? unreadable('invalid_csv', csvFaults[error.code] ?? error.message) : error);

function rowOfRecord({ record, end }: Parsed): FileRow {
  const cells = record.map((cell) => cell.toString('utf8'));
  if (!record.every((cell) => isUtf8(cell))) return { end, cells, problem: notUtf8 };
  if (cells.some((cell) => cell.length > maxUncheckedLength && holdsManyMarks(cell))) return { end, cells, problem: manyMarks };
  return { end, cells, value: cells };
}

/** The parser turns a whole chunk into records at once, so small chunks keep the read-ahead small. */
const parsedAtOnce = 8 * 1024;

async function* smaller(pieces: Piece) {
  for await (const piece of pieces)
    for (let from = 0; from < piece.length; from += parsedAtOnce) yield piece.subarray(from, from + parsedAtOnce);
}

const notUtf8 = { code: 'invalid_encoding', message: 'The row is not UTF-8; save the file as UTF-8 and send it again.' };

const manyMarks = { code: 'invalid_format', message: tooManyMarks };

const csvFaults: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is opened but never closed, so the rest of the file cannot be split into rows.',
  CSV_MAX_RECORD_SIZE: 'A row is larger than 1 MiB; a quote before it may be opened but never closed.',
};

const newline = 10;

/** Reads the rows of an NDJSON file from byte `from`. */
export async function* readNdjson(pieces: Piece, from = 0): AsyncGenerator<FileRow> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for await (const piece of pieces) {
    rest = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    for (let lineEnd = rest.indexOf(newline); lineEnd >= 0; lineEnd = rest.indexOf(newline)) {
      const row = rowOf(rest.subarray(0, lineEnd), at + lineEnd + 1);
      at += lineEnd + 1;
      rest = rest.subarray(lineEnd + 1);
      if (row) yield row;
    }
    if (rest.length > maxRowBytes) throw unreadable('invalid_ndjson', 'A line is larger than 1 MiB.');
  }
  const last = rowOf(rest, at + rest.length);
  if (last) yield last;
}

function rowOf(line: Buffer, end: number): FileRow | undefined {
  const text = line.toString('utf8').trim();
  const cells = [text];
  if (!isUtf8(line)) return { end, cells, problem: notUtf8 };
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return text.length > maxUncheckedLength && holdsManyMarks(value) ? { end, cells, problem: manyMarks } : { end, cells, value };
  } catch {
    return { end, cells, problem: { code: 'invalid_json', message: 'The line is not valid JSON.' } };
  }
}

const byteOrderMark = Buffer.from('\ufeff');

/** The byte at which the text of a file starts: after the byte order mark, if there is one. */
export const textStart = (beginning: Buffer) =>
  beginning.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that occurs most often in the first line, outside quotes. */
export function guessDelimiter(beginning: string): string {
  const [line = ''] = beginning.replaceAll(/"[^"]*"/g, '').split(/\r?\n|\r/, 1);
  const [best] = delimiters.map((one) => ({ one, count: line.split(one).length })).toSorted((a, b) => b.count - a.count);
  return best && best.count > 1 ? best.one : ',';
}
