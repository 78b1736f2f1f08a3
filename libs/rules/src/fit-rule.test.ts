import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttributeType, attributeKeys, fitRule } from './fit-rule.ts';
import { Rule } from './rule.ts';

const types = new Map<string, AttributeType>([
  ['zip', 'string'],
  ['seats', 'number'],
  ['trial', 'boolean'],
  ['since', 'date'],
  ['langs', 'string_list'],
]);
const fit = (key: string, op: string, value?: unknown) => {
  const { rule, misfits } = fitRule(Rule.parse({ field: `attributes.${key}`, op, ...(value !== undefined && { value }) }), types);
  return { value: 'value' in rule ? rule.value : undefined, misfits };
};
const fitted = (key: string, op: string, value: unknown) => {
  const { value: becomes, misfits } = fit(key, op, value);
  assert.deepEqual(misfits, []);
  return becomes;
};

test('converts a value to the type of the attribute where that loses nothing', () => {
  assert.equal(fitted('zip', 'eq', 10_115), '10115');
  assert.equal(fitted('zip', 'ne', true), 'true');
  assert.deepEqual(fitted('zip', 'in', [10_115, 'x']), ['10115', 'x']);
  assert.equal(fitted('seats', 'eq', '5'), 5);
  assert.deepEqual(fitted('seats', 'not_in', ['-1.5', 2]), [-1.5, 2]);
  assert.equal(fitted('trial', 'eq', 'true'), true);
  assert.equal(fitted('since', 'eq', '2026-05-01'), '2026-05-01');
  assert.deepEqual(fitted('langs', 'in', ['de', 5]), ['de', '5']);
  assert.equal(fitted('unknown', 'eq', 5), 5);
});

test('reports what could never match with its path and the type of the attribute', () => {
  for (const [key, op, value, member] of [
    ['seats', 'eq', 'five', 'value'],
    ['seats', 'eq', '05', 'value'],
    ['seats', 'eq', ' 5', 'value'],
    ['seats', 'eq', true, 'value'],
    ['seats', 'gt', '2026-05-01', 'value'],
    ['seats', 'contains', '5', 'op'],
    ['trial', 'eq', 1, 'value'],
    ['trial', 'gt', 1, 'op'],
    ['since', 'eq', 'soon', 'value'],
    ['since', 'eq', 2026, 'value'],
    ['since', 'between', [1, 2], 'value'],
    ['zip', 'gt', 5, 'value'],
    ['langs', 'eq', 'de', 'op'],
    ['langs', 'gt', 1, 'op'],
  ] as const) {
    const [misfit, ...more] = fit(key, op, value).misfits;
    assert.deepEqual([misfit?.path, more], [[member], []], `${key} ${op} ${JSON.stringify(value)}`);
    assert.match(misfit?.message ?? '', new RegExp(`^attributes\\.${key} is `));
  }
  const date = fitRule(Rule.parse({ all: [{ not: { date: 'attributes.seats', op: 'in_last', value: 'P1D' } }] }), types);
  assert.deepEqual(date.misfits[0]?.path, ['all', 0, 'not', 'date']);
});

test('leaves everything else unchanged', () => {
  const rule = Rule.parse({
    all: [
      { field: 'city', op: 'eq', value: 'Berlin' },
      { field: 'attributes.seats', op: 'exists' },
      { field: 'attributes.since', op: 'starts_with', value: '2026-' },
      { field: 'attributes.zip', op: 'gt', value: '2026-05-01' },
      { date: 'attributes.since', op: 'in_last', value: 'P1D' },
      { any: [{ event: 'order_placed', where: { 'properties.total': 5 } }, { segment: 'segment_01h455vb4pex5vsknk084sn02q' }] },
    ],
  });
  assert.deepEqual(fitRule(rule, types), { rule, misfits: [] });
  assert.deepEqual(attributeKeys(rule), ['seats', 'since', 'zip']);
});
