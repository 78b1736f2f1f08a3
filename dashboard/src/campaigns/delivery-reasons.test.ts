import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonOf, skippedBecause } from './delivery-reasons.ts';

const rows = [{ reason: 'suppressed' }, { reason: 'unsubscribed' }, { reason: 'unsubscribed' }];

test('says why emails were skipped, the most frequent reason first, with numbers only if all are known', () => {
  assert.equal(skippedBecause(rows, true), '2 unsubscribed, 1 suppressed');
  assert.equal(skippedBecause(rows, false), 'unsubscribed, suppressed');
  assert.equal(skippedBecause([{ reason: 'frequency_cap' }], true), 'frequency cap reached');
  assert.equal(skippedBecause([{ reason: null }], true), '');
});

test('what the mail server replied is a reason only for an email that was not delivered', () => {
  const detail = '250 OK: message queued';
  assert.equal(reasonOf({ status: 'sent', reason: null, detail }), null);
  assert.equal(reasonOf({ status: 'bounced', reason: null, detail: '550 No such user' }), '550 No such user');
  assert.equal(reasonOf({ status: 'skipped', reason: 'frequency_cap', detail: null }), 'frequency cap reached');
});
