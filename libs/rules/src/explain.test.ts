import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { now as anyNow, rule, subject, subjectOf } from '../test/arbitraries.ts';
import { Explanation, explainRule } from './explain.ts';
import { Rule } from './rule.ts';

test('explains a rule as its tree, with the value of each condition and when its result changes', () => {
  const definition = Rule.parse({
    all: [
      { field: 'tags', op: 'contains', value: 'vip' },
      { any: [{ event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' }, { segment: 'segment_1' }] },
      { not: { date: 'created_at', op: 'in_last', value: 'P7D' } },
      { field: 'address.city', op: 'exists' },
    ],
  });
  const order = (time: string) => ({ name: 'order_placed', time: new Date(time), properties: {} });
  const who = subjectOf(
    { tags: ['vip'], created_at: new Date('2026-05-01T00:00:00Z') },
    [order('2026-05-02T00:00:00Z'), order('2026-04-10T00:00:00Z'), order('2026-04-05T00:00:00Z')],
    ['segment_2'],
  );

  assert.deepEqual(JSON.parse(JSON.stringify(explainRule(definition, who, new Date('2026-05-03T00:00:00Z')))), {
    matches: false,
    flips_at: null,
    all: [
      { matches: true, flips_at: null, saw: ['vip'], rule: { field: 'tags', op: 'contains', value: 'vip' } },
      {
        matches: true,
        flips_at: '2026-05-10T00:00:00.000Z',
        any: [
          {
            matches: true,
            flips_at: '2026-05-10T00:00:00.000Z',
            saw: { count: 3, newest: '2026-05-02T00:00:00.000Z' },
            rule: { event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' },
          },
          { matches: false, flips_at: null, saw: 'not_in', rule: { segment: 'segment_1' } },
        ],
      },
      {
        matches: false,
        flips_at: '2026-05-08T00:00:00.000Z',
        not: {
          matches: true,
          flips_at: '2026-05-08T00:00:00.000Z',
          saw: '2026-05-01T00:00:00.000Z',
          rule: { date: 'created_at', op: 'in_last', value: 'P7D' },
        },
      },
      { matches: false, flips_at: null, saw: null, rule: { field: 'address.city', op: 'exists' } },
    ],
  });
});

test('every explanation matches its schema', () => {
  fc.assert(
    fc.property(rule, subject, anyNow, (rule, subject, now) => {
      Explanation.parse(explainRule(rule, subject, now));
    }),
  );
});
