import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveredOf } from './delivered.ts';

test('an accepted email counts as delivered before it is confirmed, and no longer once it bounced', () => {
  assert.deepEqual(deliveredOf({ attempted: 191, accepted: 191, sent: 105 }), { delivered: 191, rate: 1, unconfirmed: 105 });
  assert.deepEqual(deliveredOf({ attempted: 200, accepted: 190, sent: 0 }), { delivered: 190, rate: 0.95, unconfirmed: 0 });
});

test('the share of delivered emails is unknown before the first', () => {
  assert.deepEqual(deliveredOf({ attempted: 0, accepted: 0, sent: 0 }), { delivered: 0, rate: null, unconfirmed: 0 });
});
