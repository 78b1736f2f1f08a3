import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../segments/segments.ts';
import { draftOf, type FieldDraft, isComplete, newCondition, newGroup, replaced, ruleOf } from './rule-draft.ts';
import { boundsText } from './value-text.ts';

const written: Rule[] = [
  { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  {
    any: [
      { field: 'tags', op: 'in', value: ['a', 'b'] },
      { field: 'attributes.seats', op: 'between', value: [1, 5] },
    ],
  },
  {
    not: {
      any: [
        { field: 'email', op: 'ends_with', value: '@example.com' },
        { field: 'phone', op: 'missing' },
      ],
    },
  },
  { not: { all: [{ field: 'attributes.trial', op: 'eq', value: true }] } },
  {
    all: [
      { date: 'created_at', op: 'in_last', value: 'P90D' },
      { date: 'attributes.born', op: 'anniversary', within: 'P7D', timezone: 'Europe/Berlin' },
    ],
  },
  {
    all: [
      { event: 'order_placed', where: { 'properties.total': { gte: 50 }, 'properties.plan': 'pro' }, count: { gte: 3 }, in_last: 'P30D' },
    ],
  },
  {
    all: [
      { campaign: 'any', activity: 'clicked', count: { eq: 0 } },
      { segment: 'segment_1', op: 'not_in' },
      { form: 'form_1', activity: 'confirmed', in_last: 'P30D' },
    ],
  },
  { all: [{ any: [{ not: { field: 'status', op: 'eq', value: 'active' } }] }] },
];

test('shows fields, not JSON, for default values and any key order', () => {
  const rule: Rule = {
    all: [
      { in_last: 'P30D', count: { gte: 1 }, event: 'order_placed' },
      { segment: 'segment_1', op: 'in' },
      { form: 'any', activity: 'submitted' },
    ],
  };
  assert.deepEqual(
    draftOf(rule).rules.map(({ kind }) => kind),
    ['event', 'segment', 'form'],
  );
});

test('returns every rule from the builder unchanged', () => {
  for (const rule of written) assert.deepEqual(ruleOf(draftOf(rule)), rule);
});

test('keeps a condition that has no fields as JSON', () => {
  const rule: Rule = { event: 'order_placed', where: { 'properties.total': { gte: 50, lt: 90 } }, count: { gte: 1, lte: 4 } };
  const draft = draftOf(rule);
  assert.equal(draft.rules[0]?.kind, 'written');
  assert.deepEqual(ruleOf(draft), { all: [rule] });
});

test('is complete only when every condition is filled in', () => {
  const city = newCondition('field');
  const draft = newGroup([city]);
  assert.equal(isComplete(newGroup()), false);
  assert.equal(isComplete(draft), false);
  assert.equal(isComplete(replaced(draft, city.id, { ...city, kind: 'field', field: 'address.city', op: 'eq', value: 'Bonn' })), true);
  assert.equal(isComplete(newGroup([newGroup()])), false);
  assert.equal(isComplete(newGroup([newCondition('campaign')])), true);
});

test('a range is complete only with both bounds, and keeps a comma in one, which the API rejects', () => {
  const range = (value: string): FieldDraft => ({ kind: 'field', id: 'rule-1', field: 'attributes.seats', op: 'between', value });
  const ranges = ['', '1', boundsText('', '5'), boundsText('1', ''), boundsText('1', '5')].map(range);
  assert.deepEqual(ranges.map(isComplete), [false, false, false, false, true]);
  assert.deepEqual(ruleOf(range(boundsText('1,5', '7'))), { field: 'attributes.seats', op: 'between', value: ['1,5', 7] });
});

test('replaces or removes a part at any depth', () => {
  const inner = newCondition('segment');
  const draft = newGroup([newGroup([inner])]);
  assert.deepEqual(ruleOf(replaced(draft, inner.id, { kind: 'segment', id: inner.id, segment: 'segment_1', op: 'in' })), {
    all: [{ all: [{ segment: 'segment_1' }] }],
  });
  assert.deepEqual(ruleOf(replaced(draft, inner.id, undefined)), { all: [{ all: [] }] });
});

test('an attribute is compared as its type, or as the type of the value if it has none', () => {
  const valueFrom = (value: string, more: Partial<FieldDraft> = {}) =>
    ruleOf({ kind: 'field', id: 'rule-1', field: 'attributes.code', op: 'eq', value, ...more });
  const eq = (value: unknown) => ({ field: 'attributes.code', op: 'eq', value });
  assert.deepEqual([valueFrom('10115'), valueFrom('01067'), valueFrom('true')], [eq(10115), eq('01067'), eq(true)]);
  assert.deepEqual([valueFrom('10115', { type: 'string' }), valueFrom('true', { type: 'string' })], [eq('10115'), eq('true')]);
  assert.deepEqual([valueFrom('1.50', { type: 'number' }), valueFrom('true', { type: 'boolean' })], [eq(1.5), eq(true)]);
  assert.deepEqual(valueFrom('7, 08', { type: 'string_list', op: 'in' }), { field: 'attributes.code', op: 'in', value: ['7', '08'] });
});
