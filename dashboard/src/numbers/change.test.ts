import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointsChange, relativeChange } from './change.ts';

test('a change says by how much and whether it is good', () => {
  assert.deepEqual(relativeChange(150, 100), { words: '+50%', isGood: true });
  assert.deepEqual(relativeChange(90, 100), { words: '−10%', isGood: false });
  assert.deepEqual(relativeChange(100, 100), { words: '0%', isGood: undefined });
  assert.deepEqual(pointsChange(0.4, 0.4), { words: '0 pts', isGood: undefined });
  assert.deepEqual(pointsChange(0.421, 0.4), { words: '+2.1 pts', isGood: true });
  assert.deepEqual(pointsChange(0.003, 0.001, { lowerIsBetter: true }), { words: '+0.2 pts', isGood: false });
});

test('a value that was zero has no relative change', () => {
  assert.deepEqual([relativeChange(5, 0), relativeChange(5, undefined), pointsChange(0.1, null)], [undefined, undefined, undefined]);
});
