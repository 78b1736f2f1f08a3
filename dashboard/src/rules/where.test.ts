import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areComplete, rowsOf, whereOf } from './where.ts';

const prefix = 'properties.';

test('conditions that are shown in rows are returned unchanged', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  const tests = fc.record(
    { eq: scalar, gte: fc.integer(), in: fc.array(scalar), exists: fc.boolean() },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.oneof(scalar, tests), { noNullPrototype: true }), (where) => {
      const rows = rowsOf(where, prefix);
      if (rows) assert.deepEqual(whereOf(rows, prefix), where);
    }),
  );
  const where = { 'properties.plan': 'pro', 'value.amount': { gte: 10, lt: 100 }, 'properties.size': { in: ['S', 5] } };
  assert.equal(rowsOf(where, prefix)?.length, 4);
});

test('a condition that rows cannot express is not shown in rows', () => {
  assert.equal(rowsOf({ 'properties.plan': '5' }, prefix), undefined, 'text that looks like a number');
  assert.equal(rowsOf({ 'properties.plan': { eq: 5 } }, prefix), undefined);
  assert.equal(rowsOf({ 'properties.': 5 }, prefix), undefined);
});

test('several conditions on one property must all match, each op once', () => {
  const range = [
    { name: 'total', op: 'gte', value: '10' },
    { name: 'total', op: 'lte', value: '100' },
  ];
  assert.deepEqual(whereOf(range, prefix), { 'properties.total': { gte: 10, lte: 100 } });
  assert.equal(areComplete(range), true);
  assert.equal(areComplete([...range, { name: 'total', op: 'gte', value: '20' }]), false);
});

test('text that is searched for stays text', () => {
  assert.deepEqual(whereOf([{ name: 'plan', op: 'contains', value: '5' }], prefix), { 'properties.plan': { contains: '5' } });
});
