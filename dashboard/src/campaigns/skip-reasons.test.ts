import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skippedBecause } from './skip-reasons.ts';

const rows = [{ reason: 'suppressed' }, { reason: 'unsubscribed' }, { reason: 'unsubscribed' }];

test('says why emails were skipped, the most frequent reason first, with numbers only if all are known', () => {
  assert.equal(skippedBecause(rows, true), '2 unsubscribed, 1 suppressed');
  assert.equal(skippedBecause(rows, false), 'unsubscribed, suppressed');
  assert.equal(skippedBecause([{ reason: 'frequency_cap' }], true), 'frequency cap reached');
  assert.equal(skippedBecause([{ reason: null }], true), '');
});
