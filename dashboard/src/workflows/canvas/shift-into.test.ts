import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shiftInto } from './shift-into.ts';

test('a card that is in view stays, and another moves only as far as it must', () => {
  assert.equal(shiftInto(0, 100, 400, 50), 0);
  assert.equal(shiftInto(300, 100, 400, 50), 0);
  assert.equal(shiftInto(-30, 100, 400, 50), 80);
  assert.equal(shiftInto(350, 100, 400, 50), -100);
});

test('a card that leaves no room for its surroundings is in the middle; one that is too large shows its start', () => {
  assert.equal(shiftInto(-30, 360, 400, 50), 50);
  assert.equal(shiftInto(-30, 500, 400, 50), 30);
  assert.equal(shiftInto(20, 500, 400, 50), -20);
});
