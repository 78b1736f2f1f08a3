import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { activities, now as anyNow, subjectOf } from '../test/arbitraries.ts';
import type { Activity } from './activity.ts';
import { explainRule } from './explain.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';

const now = new Date('2026-05-01T00:00:00Z');
const dayMs = 86_400_000;
const order = (days: number, amount?: number, currency = 'EUR', properties: Activity['properties'] = {}): Activity => ({
  name: 'order_placed',
  time: new Date(now.getTime() - days * dayMs),
  properties,
  value: amount === undefined ? null : { amount, currency },
});

/** The result now (`yes` or `no`) and in how many days it changes. */
function evaluated(leaf: object, ...did: Activity[]): string {
  const { matches, flipsAt } = compileRule(Rule.parse({ event: 'order_placed', ...leaf })).matches(subjectOf({}, did), now);
  return `${matches ? 'yes' : 'no'}${flipsAt ? ` for ${(flipsAt.getTime() - now.getTime()) / dayMs} days` : ''}`;
}
const spent = (test: object) => ({ of: 'value.amount', currency: 'EUR', ...test });

test('a sum covers the values of one currency in the window, and changes when enough of them have left it', () => {
  const leaf = { sum: spent({ gte: 500 }), in_last: 'P90D' };
  assert.equal(evaluated(leaf, order(1, 499.99)), 'no');
  assert.equal(evaluated(leaf, order(1, 300), order(40, 200), order(60, 100)), 'yes for 50 days');
  assert.equal(evaluated(leaf, order(1, 400), order(2, 200, 'USD')), 'no', 'currencies are never added together');
  assert.equal(evaluated(leaf, order(1, 400), order(90, 200)), 'no', 'a value leaves at the end of the window');
  assert.equal(evaluated({ sum: spent({ eq: 0.3 }) }, order(1, 0.1), order(2, 0.2)), 'yes', 'decimals are added exactly');
});

test('a refund that leaves the window can raise a sum', () => {
  assert.equal(evaluated({ sum: spent({ gte: 100 }), in_last: 'P30D' }, order(1, 120), order(10, -50)), 'no for 20 days');
});

test('a sum without events is 0; an average, minimum or maximum of nothing never matches', () => {
  assert.equal(evaluated({ sum: spent({ lt: 10 }) }), 'yes');
  for (const kind of ['avg', 'min', 'max']) assert.equal(evaluated({ [kind]: spent({ lt: 10 }) }), 'no', kind);
});

test('average, minimum and maximum cover the events that have the value and the given properties', () => {
  const orders = [order(1, 10, 'EUR', { seats: 2 }), order(2, 40, 'EUR', { seats: 6 }), order(3), order(4, 99, 'USD', { seats: '9' })];
  assert.equal(evaluated({ avg: spent({ eq: 25 }) }, ...orders), 'yes');
  assert.equal(evaluated({ min: spent({ eq: 10 }) }, ...orders), 'yes');
  assert.equal(evaluated({ max: spent({ eq: 40 }) }, ...orders), 'yes');
  assert.equal(evaluated({ max: { of: 'properties.seats', eq: 6 } }, ...orders), 'yes', 'text is not a number');
  assert.equal(evaluated({ sum: spent({ eq: 40 }), where: { 'properties.seats': { gt: 2 } } }, ...orders), 'yes');
});

test('first and last test the time of the oldest and the newest event', () => {
  const [recent, old] = [order(10), order(100)];
  assert.equal(evaluated({ last: { op: 'not_in_last', value: 'P30D' } }, recent, old), 'no for 20 days');
  assert.equal(evaluated({ last: { op: 'not_in_last', value: 'P30D' } }), 'yes', 'also without any event');
  assert.equal(evaluated({ first: { op: 'in_last', value: 'P30D' } }, recent, old), 'no');
  assert.equal(evaluated({ first: { op: 'in_last', value: 'P30D' } }, recent), 'yes for 20 days');
  assert.equal(evaluated({ first: { op: 'before', value: '2026-03-01' } }, recent, old), 'yes');
  assert.equal(evaluated({ first: { op: 'before', value: '2026-03-01' }, in_last: 'P120D' }, recent, old), 'yes for 20 days');
});

test('where tests the value and the context of an event', () => {
  const visit: Activity = {
    name: 'order_placed',
    time: now,
    properties: {
      'page.path': '/pricing',
      'utm.source': 'news',
      'utm.campaign': 'Spring',
      'context.country': 'DE',
      'device.type': 'mobile',
    },
    value: { amount: 20, currency: 'EUR' },
  };
  const cases: [string, unknown, unknown][] = [
    ['context.page.path', '/pricing', '/docs'],
    ['context.campaign.source', 'news', 'ads'],
    ['context.campaign.name', 'spring', 'autumn'],
    ['context.country', 'DE', 'FR'],
    ['context.device', 'mobile', 'desktop'],
    ['value.amount', { gte: 20 }, { gt: 20 }],
    ['value.currency', 'EUR', 'USD'],
  ];
  for (const [name, matching, other] of cases) {
    assert.equal(evaluated({ where: { [name]: matching } }, visit), 'yes', name);
    assert.equal(evaluated({ where: { [name]: other } }, visit), 'no', name);
  }
});

test('explain returns the value of an aggregate', () => {
  const rule = Rule.parse({ event: 'order_placed', sum: spent({ gte: 1 }) });
  const explained = explainRule(rule, subjectOf({}, [order(1, 10), order(2, 5)]), now);
  assert.deepEqual('saw' in explained && explained.saw, { value: 15, count: 2, newest: order(1).time });
});

test('names what is wrong with an aggregate', () => {
  const wrong: [object, (string | number)[]][] = [
    [{ sum: { of: 'value.amount', gte: 1 } }, ['sum', 'currency']],
    [{ sum: { of: 'properties.total', currency: 'EUR', gte: 1 } }, ['sum', 'currency']],
    [{ sum: spent({}) }, ['sum']],
    [{ sum: { of: 'total', gte: 1 } }, ['sum', 'of']],
    [{ sum: spent({ gte: 1 }), count: { gte: 1 } }, ['sum']],
    [{ sum: spent({ gte: 1 }), max: spent({ gte: 1 }) }, ['max']],
    [{ last: { op: 'in_next', value: 'P1D' } }, ['last', 'op']],
    [{ where: { 'context.weather': 'rain' } }, ['where', 'context.weather']],
  ];
  for (const [leaf, path] of wrong) {
    const { error } = Rule.safeParse({ event: 'order_placed', ...leaf });
    assert.deepEqual(error?.issues[0]?.path, path, JSON.stringify(leaf));
  }
});

test('an aggregate equals a naive one over all activities at any time', () => {
  const naive: Record<string, (numbers: number[]) => number | undefined> = {
    sum: (numbers) => numbers.reduce((total, number) => total + number, 0),
    avg: (numbers) => (numbers.length === 0 ? undefined : numbers.reduce((total, number) => total + number, 0) / numbers.length),
    min: (numbers) => (numbers.length === 0 ? undefined : Math.min(...numbers)),
    max: (numbers) => (numbers.length === 0 ? undefined : Math.max(...numbers)),
  };
  const kind = fc.constantFrom('sum', 'avg', 'min', 'max');
  fc.assert(
    fc.property(activities, anyNow, kind, fc.integer({ min: 1, max: 60 }), fc.integer({ min: -2, max: 8 }), (did, at, kind, days, gte) => {
      const leaf = Rule.parse({ event: 'order_placed', [kind]: spent({ gte }), in_last: `P${days}D` });
      const numbers = did.flatMap(({ name, time, value }) =>
        name === 'order_placed' && value?.currency === 'EUR' && time.getTime() > at.getTime() - days * dayMs ? [value.amount] : [],
      );
      const expected = (naive[kind]?.(numbers) ?? Number.NEGATIVE_INFINITY) >= gte;
      assert.equal(compileRule(leaf).matches(subjectOf({}, did), at).matches, expected);
    }),
    { numRuns: 1_000 },
  );
});
