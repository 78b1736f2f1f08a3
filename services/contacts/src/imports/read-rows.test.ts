import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileRow, readCsv, readNdjson } from './read-rows.ts';

const marks = `a${'\u0301'.repeat(5_000)}`;

test('a row with too many combining marks is a row error, and the next row is read', async () => {
  const csv = readCsv([Buffer.from(`a@example.com,${marks}\nb@example.com,B\n`)], ',');
  assert.deepEqual(await outcomesOf(csv), ['invalid_format', ['b@example.com', 'B']]);
  const lines = [{ first_name: marks }, { first_name: 'B' }].map((row) => JSON.stringify(row)).join('\n');
  assert.deepEqual(await outcomesOf(readNdjson([Buffer.from(lines)])), ['invalid_format', { first_name: 'B' }]);
});

test('rows before a quote that is never closed are read, however few', async () => {
  const csv = readCsv([Buffer.from('email,name\na@example.com,A\nb@example.com,"B')], ',');
  const rows: unknown[] = [];
  await assert.rejects(async () => {
    for await (const { cells } of csv) rows.push(cells);
  }, /never closed/);
  assert.deepEqual(rows, [
    ['email', 'name'],
    ['a@example.com', 'A'],
  ]);
});

test('each row has the byte at which the next one starts', async () => {
  const file = Buffer.from('e\r\n"ä\n";ö\r\n\r\nz;\r\n;\r\nlast');
  for (const size of [1, 3, 100]) {
    const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, index) => file.subarray(index * size, (index + 1) * size));
    const ends: number[] = [];
    for await (const { end, cells } of readCsv(pieces, ';')) {
      ends.push(end);
      for await (const next of readCsv([file.subarray(end)], ';', end)) {
        assert.ok(next.end > end && !next.cells.includes(cells[0] ?? ''));
        break;
      }
    }
    assert.deepEqual(ends, [3, 13, 19, 26]);
  }
});

test('accepts all line endings, and reads the same rows when starting at any of them', async () => {
  const file = Buffer.from('email,name\r\na,A\nb,"B\r\n"\rc,C\r\nd,D\n');
  const rowsFrom = async (from: number) => {
    const rows: FileRow[] = [];
    for await (const row of readCsv([file.subarray(from)], ',', from)) rows.push(row);
    return rows;
  };
  const all = await rowsFrom(0);
  assert.deepEqual(
    all.map(({ cells }) => cells.join()),
    ['email,name', 'a,A', 'b,B\r\n', 'c,C', 'd,D'],
  );
  for (const [index, { end }] of all.entries()) assert.deepEqual(await rowsFrom(end), all.slice(index + 1));
});

async function outcomesOf(rows: AsyncIterable<FileRow>) {
  const all: unknown[] = [];
  for await (const row of rows) all.push('problem' in row ? row.problem.code : row.value);
  return all;
}
