import assert from 'node:assert/strict';
import { test } from 'node:test';
import { between } from './selected-range.ts';

test('a range has everything between two items and both of them, in either direction', () => {
  const list = ['a', 'b', 'c', 'd'];
  assert.deepEqual(between(list, 'b', 'd'), ['b', 'c', 'd']);
  assert.deepEqual(between(list, 'd', 'b'), ['b', 'c', 'd']);
  assert.deepEqual(between(list, 'c', 'c'), ['c']);
  assert.deepEqual(between(list, 'gone', 'c'), ['c'], 'the first one is no longer in the list');
});
