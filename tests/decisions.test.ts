import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../docs/decisions');
const pages = readdirSync(folder).filter((file) => file !== 'README.md');

test('each decision has a file named by its number, and a heading that begins with it', () => {
  const headings = pages.map((file) => [file, readFileSync(join(folder, file), 'utf8').split('\n')[0] ?? '']);
  assert.ok(headings.length > 100);
  assert.deepEqual(
    headings.filter(([file = '', heading = '']) => !/^\d{4}-[a-z0-9-]+\.md$/.test(file) || !heading.match(`^# ${file.slice(0, 4)} \\S`)),
    [],
  );
});

test('the index has a row for each decision, with a date and a status', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const rows = [
    ...index.matchAll(/^\| \[(\d{4})\]\((\S+)\) \| \S[^|]+ \| \d{4}-\d\d-\d\d \| (?:accepted|proposed|amended by [^|]+) \| \S[^|]+ \|$/gm),
  ];
  assert.deepEqual(rows.map(([, , file = '']) => file).sort(), pages.toSorted());
  assert.deepEqual(
    rows.filter(([, number = '', file = '']) => !file.startsWith(`${number}-`)),
    [],
  );
  const linked = [...index.matchAll(/\]\((\d{4}-\S+?\.md)\)/g)].map(([, file = '']) => file);
  assert.deepEqual(
    linked.filter((file) => !pages.includes(file)),
    [],
  );
});
