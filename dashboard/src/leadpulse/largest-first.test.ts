import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestFirst } from './largest-first.ts';

test('a breakdown is sorted by the number that it shows, with unknown ones last', () => {
  const items = [
    { value: 'direct', size: 3, error: 0 },
    { value: 'gone', size: null, error: 0 },
    { value: 'search', size: 8, error: 0 },
    { value: 'email', size: 0, error: 0 },
  ];
  assert.deepEqual(
    largestFirst(items).map(({ value }) => value),
    ['search', 'direct', 'email', 'gone'],
  );
});
