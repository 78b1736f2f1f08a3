import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { activities, now as anyNow, subjectOf } from '../test/arbitraries.ts';
import { type Activity, campaignActivityOf, formActivityOf } from './activity.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';
import { EventWhere, eventWhereHolds } from './where.ts';

const now = new Date('2026-05-01T00:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const order = (days: number, properties: Activity['properties'] = {}): Activity => ({
  name: 'order_placed',
  time: daysAgo(days),
  properties,
});

/** The result now (`yes` or `no`) and in how many days it changes. */
function evaluated(leaf: object, ...did: Activity[]): string {
  const { matches, flipsAt } = compileRule(Rule.parse(leaf)).matches(subjectOf({}, did), now);
  return `${matches ? 'yes' : 'no'}${flipsAt ? ` for ${(flipsAt.getTime() - now.getTime()) / 86_400_000} days` : ''}`;
}

test('an event condition without a count matches one or more', () => {
  assert.equal(evaluated({ event: 'order_placed' }), 'no');
  assert.equal(evaluated({ event: 'order_placed' }, order(300)), 'yes');
  assert.equal(evaluated({ event: 'order_paid' }, order(300)), 'no');
});

test('"at least k in a window" stops matching when the k-th newest leaves the window', () => {
  const leaf = { event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' };
  assert.equal(evaluated(leaf, order(1)), 'no');
  assert.equal(evaluated(leaf, order(1), order(10), order(20)), 'yes for 20 days');
  assert.equal(evaluated(leaf, order(1), order(30)), 'no', 'a window of 30 days has no room for what was 30 days ago');
});

test('"at most k in a window" starts matching when enough have left the window', () => {
  const leaf = { event: 'order_placed', count: { lte: 1 }, in_last: 'P30D' };
  assert.equal(evaluated(leaf), 'yes');
  assert.equal(evaluated(leaf, order(1)), 'yes');
  assert.equal(evaluated(leaf, order(1), order(10), order(20)), 'no for 20 days');
});

test('a count of exactly 0 matches absence', () => {
  assert.equal(evaluated({ event: 'order_placed', count: { eq: 0 } }), 'yes');
  assert.equal(evaluated({ event: 'order_placed', count: { eq: 0 } }, order(399)), 'no');
  assert.equal(evaluated({ event: 'order_placed', count: { eq: 0 }, in_last: 'P30D' }, order(10), order(29)), 'no for 20 days');
});

test('events that leave a window together never match a smaller count in between', () => {
  const leaf = { event: 'order_placed', count: { eq: 1 }, in_last: 'P30D' };
  assert.equal(evaluated(leaf, order(10), order(10)), 'no');
  assert.equal(evaluated(leaf, order(5), order(10), order(10)), 'no for 20 days');
});

test('an impossible count never matches', () => {
  assert.equal(evaluated({ event: 'order_placed', count: { gte: 3, lte: 1 } }, order(1), order(2), order(3)), 'no');
});

test('counts only events whose properties match', () => {
  const where = { 'properties.total': { gte: 10, lt: 50 }, 'properties.currency': 'eur' };
  assert.equal(evaluated({ event: 'order_placed', where }, order(1, { total: 10, currency: 'EUR' })), 'yes');
  assert.equal(evaluated({ event: 'order_placed', where }, order(1, { total: 50, currency: 'EUR' })), 'no');
  assert.equal(evaluated({ event: 'order_placed', where }, order(1, { total: '10', currency: 'EUR' })), 'no');
  assert.equal(evaluated({ event: 'order_placed', where }, order(1, { total: 10 })), 'no');
});

test('treats a missing property as a missing value', () => {
  const holds = (condition: unknown, properties: Activity['properties'] = {}) =>
    eventWhereHolds(EventWhere.parse({ 'properties.plan': condition }))({ properties });
  for (const condition of [{ exists: false }, { ne: 'x' }, { not_in: ['x'] }, { not_contains: 'x' }]) assert.equal(holds(condition), true);
  for (const condition of [
    'x',
    { exists: true },
    { eq: 'x' },
    { in: ['x'] },
    { contains: 'x' },
    { starts_with: 'x' },
    { gt: 1 },
    { between: [1, 2] },
  ]) {
    assert.equal(holds(condition), false);
  }
  assert.equal(holds({ exists: true }, { plan: 'x' }), true);
  assert.equal(holds({ exists: true }, { plan: null }), false);
});

test('matches the activity of one campaign or of any', () => {
  const opened = campaignActivityOf('campaign_1', 'opened', daysAgo(3));
  assert.equal(evaluated({ campaign: 'campaign_1', activity: 'opened', in_last: 'P7D' }, opened), 'yes for 4 days');
  assert.equal(evaluated({ campaign: 'any', activity: 'opened' }, opened), 'yes');
  assert.equal(evaluated({ campaign: 'campaign_2', activity: 'opened' }, opened), 'no');
  assert.equal(evaluated({ campaign: 'any', activity: 'clicked' }, opened), 'no');
  assert.equal(evaluated({ campaign: 'campaign_1', activity: 'opened', count: { gte: 2 } }, opened, opened), 'yes');
});

test('matches the activity of one form or of any', () => {
  const submitted = formActivityOf('form_1', 'submitted', daysAgo(3));
  assert.equal(evaluated({ form: 'form_1', activity: 'submitted', in_last: 'P7D' }, submitted), 'yes for 4 days');
  assert.equal(evaluated({ form: 'any', activity: 'submitted' }, submitted), 'yes');
  assert.equal(evaluated({ form: 'form_2', activity: 'submitted' }, submitted), 'no');
  assert.equal(evaluated({ form: 'any', activity: 'confirmed' }, submitted), 'no');
  assert.equal(evaluated({ form: 'form_1', activity: 'submitted', count: { gte: 2 } }, submitted, submitted), 'yes');
});

test('an event with a time in the future counts immediately and leaves when its window has passed', () => {
  assert.equal(evaluated({ event: 'order_placed', in_last: 'P1D' }, order(-2)), 'yes for 3 days');
});

test('the count equals a naive count of all activities at any time', () => {
  const count = fc
    .record({ gte: fc.integer({ min: 0, max: 3 }), lte: fc.integer({ min: 0, max: 5 }) }, { requiredKeys: [] })
    .filter((of) => Object.keys(of).length > 0);
  const days = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(activities, anyNow, count, days, fc.integer({ min: 0, max: 5 }), (did, now, count, days, least) => {
      const leaf = Rule.parse({ event: 'order_placed', where: { 'properties.total': { gte: least } }, count, in_last: `P${days}D` });
      const found = did.filter(
        ({ name, time, properties }) =>
          name === 'order_placed' && Number(properties.total ?? -1) >= least && time.getTime() > now.getTime() - days * 86_400_000,
      ).length;
      const expected = found >= (count.gte ?? 0) && found <= (count.lte ?? Number.POSITIVE_INFINITY);
      assert.equal(compileRule(leaf).matches(subjectOf({}, did), now).matches, expected);
    }),
    { numRuns: 1_000 },
  );
});
