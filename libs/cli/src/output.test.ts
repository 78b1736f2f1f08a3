import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { tableOf } from './output.ts';

test('a table shows the most useful columns first, without objects, and shortens long values', () => {
  const rows = [
    { created_at: '2026', address: { city: 'Berlin' }, phone: null, email: 'ada@example.com', id: 'contact_1', company: 'x'.repeat(60) },
    { created_at: '2026', address: null, phone: null, email: null, id: 'contact_2', company: null },
  ];
  const lines = stripVTControlCharacters(tableOf(rows))
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
  assert.match(lines[0] ?? '', /^id +email +created_at +company$/);
  assert.match(lines[1] ?? '', /^contact_1 +ada@example\.com +2026 +x{39}…$/);
  assert.match(lines[2] ?? '', /^contact_2 +– +2026 +–$/);
});

test('control characters of data do not reach the terminal', () => {
  assert.ok(!tableOf([{ name: 'a\u001b[2Jb\u0007' }]).includes('\u001b[2J'));
});
