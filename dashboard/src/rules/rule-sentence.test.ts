import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../segments/segments.ts';
import { ruleName, ruleSentence } from './rule-sentence.ts';

const named = (id: string) => ({ segment_1: 'Big teams', campaign_1: 'Autumn release' })[id] ?? id;
const sentence = (rule: Rule) => ruleSentence(rule, named);

test('writes a rule as a sentence that a marketer would say', () => {
  assert.equal(
    sentence({
      all: [
        { field: 'address.city', op: 'eq', value: 'Berlin' },
        { event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' },
      ],
    }),
    'People whose city is “Berlin” and who did “Order placed” at least 2 times in the last 30 days.',
  );
  assert.equal(
    sentence({ all: [{ campaign: 'any', activity: 'opened', count: { eq: 0 }, in_last: 'P90D' }, { segment: 'segment_1' }] }),
    'People who never opened any campaign in the last 90 days and who are in Big teams.',
  );
  assert.equal(sentence({ campaign: 'campaign_1', activity: 'clicked' }), 'People who clicked a link in Autumn release at least once.');
  assert.equal(sentence({ date: 'created_at', op: 'not_in_last', value: 'P7D' }), 'People who were not created in the last 7 days.');
  assert.equal(sentence({ date: 'last_seen_at', op: 'before', value: '2026-01-01' }), 'People who were last seen before 2026-01-01.');
});

test('writes a sequence as a sentence', () => {
  assert.equal(
    sentence({
      sequence: [
        { event: 'added_to_cart', where: { 'properties.total': { gte: 50 } } },
        { event: 'checkout_started' },
        { not_event: 'order_placed' },
      ],
      within: 'PT12H',
      in_last: 'P14D',
    }),
    'People who did “Added to cart” with total is at least 50, then “Checkout started”, then not “Order placed” within 12 hours, in the last 14 days.',
  );
});

test('puts a nested group in brackets', () => {
  const vip: Rule = { field: 'tags', op: 'contains', value: 'vip' };
  const seats: Rule = { field: 'attributes.seats', op: 'gte', value: 8 };
  assert.equal(
    sentence({ all: [vip, { any: [seats, vip] }] }),
    'People whose tags have “vip” and (whose seats is at least 8 or whose tags have “vip”).',
  );
  assert.equal(sentence({ all: [vip, { not: seats }] }), 'People whose tags have “vip” except those whose seats is at least 8.');
});

test('a segment is named by its rule, in as many words as a name can have', () => {
  const berlin: Rule = { field: 'address.city', op: 'eq', value: 'Berlin' };
  assert.equal(ruleName(berlin, named), 'People whose city is “Berlin”');
  const long = ruleName({ all: Array.from({ length: 20 }, () => berlin) }, named);
  assert.ok(long.length <= 200 && /^People whose city is “Berlin” and .* \S+…$/.test(long), long);
});
