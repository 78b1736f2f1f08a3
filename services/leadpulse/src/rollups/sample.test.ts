import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateOf } from './sample.ts';

test('an estimate stays within its lower and upper bound', () => {
  assert.deepEqual(estimateOf(0, 3, { least: 1, most: 40 }), { count: 1, error: 1 });
  assert.equal(estimateOf(0, 3).count, 0);
  assert.equal(estimateOf(10, 3, { most: 40 }).count, 40);
  assert.deepEqual(estimateOf(5, 0, { least: 1 }), { count: 5, error: 0 });
});
