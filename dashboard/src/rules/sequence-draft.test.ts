import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Rule } from '../segments/segments.ts';
import { draftOf, isComplete, newCondition, newGroup, ruleOf } from './rule-draft.ts';
import { moved, newSequence } from './sequence-draft.ts';

const cart: Rule = {
  sequence: [{ event: 'added_to_cart', where: { 'properties.total': { gte: 50 } } }, { not_event: 'order_placed' }],
  within: 'P1D',
  in_last: 'P30D',
};

const kindsOf = (rule: Rule) => draftOf(rule).rules.map(({ kind }) => kind);

const event = fc.oneof(fc.constantFrom('added_to_cart', 'order_placed'), fc.string({ minLength: 1 }));
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom('10', '01067', 'true', 'a, b', ' vip'));
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { minLength: 1 }).map((list) => ({ in: list })),
  fc.constantFrom({ gte: 50 }, { gt: 1, lt: 4 }, { contains: '10' }, { exists: false }),
);
const property = fc.oneof(
  fc.constantFrom('value.amount', 'context.country'),
  fc.string({ minLength: 1 }).map((name) => `properties.${name}`),
);
const where = fc.option(fc.dictionary(property, condition, { maxKeys: 3, noNullPrototype: true }), { nil: undefined });
const duration = fc.constantFrom('PT90S', 'PT5M', 'PT36H', 'P1D', 'P1DT12H', 'P2W');
const sequence = fc
  .tuple(
    fc.array(fc.tuple(event, where), { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(event, where), { maxLength: 3 }),
    duration,
    fc.option(duration, { nil: undefined }),
  )
  .map(
    ([events, absent, within, in_last]): Rule => ({
      sequence: [
        ...events.map(([name, filters]) => ({ event: name, ...(filters && { where: filters }) })),
        ...absent.map(([name, filters]) => ({ not_event: name, ...(filters && { where: filters }) })),
      ],
      within,
      ...(in_last && { in_last }),
    }),
  );

test('returns every sequence from the builder unchanged', () => {
  fc.assert(fc.property(sequence, (rule) => assert.deepEqual(ruleOf(draftOf(rule)), { all: [rule] })));
});

test('shows a sequence as fields, and as JSON only if the filters of an event have no fields', () => {
  assert.deepEqual(kindsOf(cart), ['sequence']);
  const steps = [{ event: 'a' }, { event: 'b' }, { not_event: 'c' }, { not_event: 'd', where: { 'properties.plan': 'pro' } }];
  assert.deepEqual(kindsOf({ any: [{ sequence: steps, within: 'P1DT12H' }] }), ['sequence']);
  const ranged = [{ event: 'a', where: { 'properties.total': { gte: 50, lt: 90 } } }, { not_event: 'b' }];
  assert.deepEqual(kindsOf({ sequence: ranged, within: 'P1D' }), ['sequence']);
  assert.deepEqual(kindsOf({ sequence: [{ event: 'a' }, { event: 'b', where: { 'value.amount': 5 } }], within: 'P1D' }), ['sequence']);
  // Text that looks like a number.
  assert.deepEqual(kindsOf({ sequence: [{ event: 'a' }, { event: 'b', where: { 'properties.plan': '5' } }], within: 'P1D' }), ['written']);
});

test('is complete when every event has a name and every filter a value', () => {
  const empty = newSequence('rule-1');
  const named = { event: 'added_to_cart', where: [] };
  const sequenceWith = (change: Partial<typeof empty>) => newGroup([{ ...empty, events: [named], absent: [named], ...change }]);
  assert.equal(isComplete(newGroup([newCondition('sequence')])), false);
  assert.equal(isComplete(sequenceWith({})), true);
  assert.equal(isComplete(sequenceWith({ absent: [{ event: ' ', where: [] }] })), false);
  assert.equal(isComplete(sequenceWith({ events: [{ ...named, where: [{ name: 'total', op: 'gte', value: '' }] }] })), false);
  assert.equal(isComplete(sequenceWith({ within: '' })), false);
});

test('moves a step up and down', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 1), ['a', 'c', 'b']);
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 1), ['b', 'a', 'c']);
});
