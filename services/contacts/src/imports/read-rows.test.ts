import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileRow, readCsv, readNdjson } from './read-rows.ts';

const marks = `a${'\u0301'.repeat(5_000)}`;

test('a row with combining marks without end is a row error, and the next row is read', async () => {
  const csv = readCsv([Buffer.from(`a@example.com,${marks}\nb@example.com,B\n`)], ',');
  assert.deepEqual(await told(csv), ['invalid_format', ['b@example.com', 'B']]);
  const lines = [{ first_name: marks }, { first_name: 'B' }].map((row) => JSON.stringify(row)).join('\n');
  assert.deepEqual(await told(readNdjson([Buffer.from(lines)])), ['invalid_format', { first_name: 'B' }]);
});

async function told(rows: AsyncIterable<FileRow>) {
  const all: unknown[] = [];
  for await (const row of rows) all.push('problem' in row ? row.problem.code : row.value);
  return all;
}
