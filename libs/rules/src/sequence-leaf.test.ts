import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { activities as anyActivities, now as anyNow, sequenceLeaf, subjectOf } from '../test/arbitraries.ts';
import type { Activity } from './activity.ts';
import { dependenciesOf } from './dependencies.ts';
import { windowMs } from './duration.ts';
import { explainRule } from './explain.ts';
import { Rule } from './rule.ts';
import { compileRule } from './rule-predicate.ts';
import { eventOf, type SequenceLeaf } from './sequence-leaf.ts';
import { eventWhereHolds } from './where.ts';

const now = new Date('2026-05-01T00:00:00Z');
const hourMs = 3_600_000;
const did = (name: string, hoursAgo: number, properties: Activity['properties'] = {}): Activity => ({
  name,
  time: new Date(now.getTime() - hoursAgo * hourMs),
  properties,
});
const cart = (hoursAgo: number) => did('added_to_cart', hoursAgo);
const order = (hoursAgo: number, total = 1) => did('order_placed', hoursAgo, { total });
const newestFirst = (did: Activity[]) => did.toSorted((a, b) => b.time.getTime() - a.time.getTime());

/** The result now (`yes` or `no`) and in how many hours it changes. */
function evaluated(leaf: object, ...did: Activity[]): string {
  const { matches, flipsAt } = compileRule(Rule.parse(leaf)).matches(subjectOf({}, newestFirst(did)), now);
  return `${matches ? 'yes' : 'no'}${flipsAt ? ` for ${(flipsAt.getTime() - now.getTime()) / hourMs} hours` : ''}`;
}

const bought = { sequence: [{ event: 'added_to_cart' }, { event: 'order_placed' }], within: 'P1D' };
const abandoned = { sequence: [{ event: 'added_to_cart' }, { not_event: 'order_placed' }], within: 'P1D', in_last: 'P2D' };

test('a sequence matches events in their order, within its window', () => {
  assert.equal(evaluated(bought, cart(30), order(6)), 'yes', 'the window includes its end');
  assert.equal(evaluated(bought, cart(31), order(6)), 'no', 'too late');
  assert.equal(evaluated(bought, order(6), cart(5)), 'no', 'the wrong order');
  assert.equal(evaluated(bought, cart(6), order(6)), 'no', 'at the same time is not later');
  assert.equal(evaluated(bought, cart(90), cart(7), order(6)), 'yes', 'any of the first events can begin it');
  assert.equal(evaluated({ sequence: [{ event: 'added_to_cart' }, { event: 'added_to_cart' }], within: 'P1D' }, cart(5)), 'no');
  assert.equal(evaluated({ sequence: [{ event: 'added_to_cart' }, { event: 'added_to_cart' }], within: 'P1D' }, cart(5), cart(4)), 'yes');
});

test('a sequence stops matching when its first event leaves in_last', () => {
  assert.equal(evaluated({ ...bought, in_last: 'P2D' }, cart(40), order(39), cart(30), order(29)), 'yes for 18 hours');
  assert.equal(evaluated({ ...bought, in_last: 'P2D' }, cart(48), order(29)), 'no');
});

test('not_event matches once its window has passed without the event', () => {
  assert.equal(evaluated(abandoned, cart(6)), 'no for 18 hours', 'there is still time');
  assert.equal(evaluated(abandoned, cart(24)), 'yes for 24 hours');
  assert.equal(evaluated(abandoned, cart(30), order(29)), 'no', 'it happened');
  assert.equal(evaluated(abandoned, cart(30), order(5)), 'yes for 18 hours', 'after the window it does not matter');
  assert.equal(evaluated(abandoned, cart(30), order(31)), 'yes for 18 hours', 'before it does not either');
  assert.equal(evaluated(abandoned, cart(40), order(39), cart(30)), 'yes for 18 hours', 'each first event counts on its own');
  assert.equal(evaluated(abandoned, cart(47), cart(24.5), cart(2)), 'yes for 46 hours', 'matches that overlap are one');
});

test('steps filter by where, and not_event can follow several events', () => {
  const big = { 'properties.total': { gte: 10 } };
  const leaf = {
    sequence: [{ event: 'added_to_cart' }, { event: 'order_placed', where: big }, { not_event: 'order_placed', where: big }],
    within: 'P1D',
  };
  assert.equal(evaluated(leaf, cart(30), order(29, 5)), 'no');
  assert.equal(evaluated(leaf, cart(30), order(29, 10), order(28, 5)), 'yes');
  assert.equal(evaluated({ ...leaf, in_last: 'P2D' }, cart(30), order(29, 10)), 'yes for 18 hours');
  assert.equal(evaluated({ ...leaf, in_last: 'P2D' }, cart(23), order(22, 10)), 'no for 1 hours');
});

test('explains how many times it happened and when the newest began', () => {
  const saw = (leaf: object, ...did: Activity[]) => {
    const explained = explainRule(Rule.parse(leaf), subjectOf({}, newestFirst(did)), now);
    return 'saw' in explained && explained.saw;
  };
  assert.deepEqual(saw(bought, cart(50), order(49), cart(30), order(29)), { count: 2, newest: cart(30).time });
  assert.deepEqual(saw(abandoned, cart(2)), { count: 0, newest: null });
});

test('rejects a sequence without a window, and steps that could never match', () => {
  const first = (rule: object) => {
    const issue = Rule.safeParse(rule).error?.issues[0];
    return `${issue?.path.join('/')}: ${issue?.message}`;
  };
  const { within: _, ...unlimited } = bought;
  const [a, b] = [{ event: 'a' }, { not_event: 'b' }];
  assert.match(first(unlimited), /^within: A sequence needs within, such as "P7D"/);
  assert.match(first({ sequence: [a], within: 'P1D' }), /^sequence: A sequence needs at least two steps/);
  assert.match(first({ sequence: [b, a], within: 'P1D' }), /^sequence\/0: A sequence begins with/);
  assert.match(first({ sequence: [a, b, a], within: 'P1D' }), /^sequence\/2: No event can follow/);
  assert.match(first({ sequence: [a, a], within: 'P2D', in_last: 'P1D' }), /^within: within can be at most as long as in_last/);
  assert.match(first({ sequence: [a, b], within: 'P1D', in_last: 'P1D' }), /^within: within must be shorter than in_last/);
  assert.match(first({ sequence: [a, b], within: 'P400D' }), /^within: within must be shorter than in_last \(P400D\)/);
  assert.match(first({ sequence: [a, { event: '$campaign.opened' }], within: 'P1D' }), /^sequence\/1\/event: For campaign activity/);
  assert.match(first({ sequence: [a, { event: 'b', count: 1 }], within: 'P1D' }), /^sequence\/1/);
  assert.match(first({ sequence: 'a', within: 'forever' }), /^sequence: /);
  assert.match(first({ ...bought, within: 'P1Y' }), /^within: A window must be an ISO 8601 duration/);
  assert.match(first({ ...bought, event: 'a' }), /Use only one of/);
});

test('depends on the events of all its steps, and on time if it has to wait or forgets', () => {
  assert.deepEqual(dependenciesOf(Rule.parse(abandoned)).events, ['added_to_cart', 'order_placed']);
  assert.deepEqual(
    [bought, abandoned].map((leaf) => dependenciesOf(Rule.parse(leaf)).time),
    [false, true],
  );
});

/** Tries every choice of events for the steps, as the documentation describes them. */
function model({ sequence, within, in_last }: SequenceLeaf, activities: readonly Activity[], now: number): boolean {
  const span = windowMs(within);
  const timesOf = (step: SequenceLeaf['sequence'][number]) =>
    activities.filter((one) => one.name === eventOf(step) && eventWhereHolds(step.where ?? {})(one)).map(({ time }) => time.getTime());
  const absent = sequence.filter((step) => 'not_event' in step);
  const completes = (start: number, last: number, [step, ...rest]: SequenceLeaf['sequence']): boolean => {
    if (step === undefined || 'not_event' in step)
      return absent.every((none) => !timesOf(none).some((time) => time > last && time <= start + span));
    return timesOf(step).some((time) => time > last && time <= start + span && completes(start, time, rest));
  };
  const [first, ...rest] = sequence;
  if (!first) return false;
  const begun = timesOf(first).filter((time) => in_last === undefined || time > now - windowMs(in_last));
  return begun.some((start) => (absent.length === 0 || now >= start + span) && completes(start, start, rest));
}

test('equals a search through every choice of events', () => {
  fc.assert(
    fc.property(sequenceLeaf, anyActivities, anyNow, (leaf, activities, now) => {
      const { matches } = compileRule(leaf).matches(subjectOf({}, activities), now);
      assert.equal(matches, model(leaf, activities, now.getTime()));
    }),
    { numRuns: 3_000 },
  );
});
