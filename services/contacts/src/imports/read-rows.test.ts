import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv, readNdjson } from './read-rows.ts';

const marks = 'a' + '\u0301'.repeat(5_000);

test('a row with combining marks without end is a row error, and the next row is read', async () => {
  const csv = await Array.fromAsync(readCsv([Buffer.from(`a@example.com,${marks}\nb@example.com,B\n`)], ','));
  assert.deepEqual(
    csv.map((row) => ('problem' in row ? row.problem.code : row.value)),
    ['invalid_format', ['b@example.com', 'B']],
  );
  const lines = [{ first_name: marks }, { first_name: 'B' }].map((row) => JSON.stringify(row)).join('\n');
  const ndjson = await Array.fromAsync(readNdjson([Buffer.from(lines)]));
  assert.deepEqual(
    ndjson.map((row) => ('problem' in row ? row.problem.code : row.value)),
    ['invalid_format', { first_name: 'B' }],
  );
});
