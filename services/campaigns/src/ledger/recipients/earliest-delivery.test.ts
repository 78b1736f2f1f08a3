import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earliestDelivery } from './earliest-delivery.ts';

test('an email counts as readable once the mail server accepted it, or must have if its response is unknown', () => {
  const [accepted, handed] = [new Date(20_000), new Date(10_000)];
  assert.deepEqual(earliestDelivery({ sent_at: accepted, handed_at: handed }), accepted);
  assert.deepEqual(earliestDelivery({ sent_at: null, handed_at: handed }), new Date(40_000), 'the mail server may scan it first');
  assert.equal(earliestDelivery({ sent_at: null }), null);
});
