import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import fc from 'fast-check';
import { assignmentOf } from '../audience/variant-assignment.ts';
import type { AbTest } from './ab-test.ts';
import { bestOf, comparedWithWinner } from './best-variant.ts';

const trial = (id: string, accepted: number, successes: number) => ({ id, accepted, successes, revenue: null });

/** The winner by its rate, or the chosen one, and how it compares with the others. */
function resultOf(trials: Parameters<typeof bestOf>[0], winner = bestOf(trials)) {
  const { variants, ...overall } = comparedWithWinner(winner, trials);
  const of = (id: string) => variants.find((variant) => variant.id === id);
  return { winner, ...overall, of };
}
const isClose = (actual: number | null | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? -1) - expected) < 0.00001, `${actual} ${expected}`);

test('the winner has the highest rate, and significance is that of a two-proportion z-test', () => {
  const clear = resultOf([trial('a', 1_000, 100), trial('b', 1_000, 150)]);
  assert.deepEqual([clear.winner, clear.significance], ['b', 'significant']);
  // R: prop.test(c(150, 100), c(1000, 1000), correct = FALSE)
  isClose(clear.p_value, 0.00073);
  const close = resultOf([trial('a', 200, 22), trial('b', 200, 20)]);
  assert.deepEqual([close.winner, close.significance], ['a', 'not_significant']);
  const little = resultOf([trial('a', 4, 0), trial('b', 4, 1)]);
  assert.deepEqual([little.winner, little.significance, little.p_value], ['b', 'not_enough_data', null]);
  const none = resultOf([trial('a', 0, 0), trial('b', 0, 0)]);
  assert.deepEqual([none.winner, none.significance], ['a', 'not_enough_data']);
});

test('a winner chosen by hand is compared with the others, not the best with the second', () => {
  const trials = [trial('a', 1_000, 100), trial('b', 1_000, 150), trial('c', 1_000, 105)];
  const chosen = resultOf(trials, 'c');
  assert.deepEqual([chosen.significance, chosen.p_value], ['not_significant', null], 'b is better');
  assert.deepEqual(
    [chosen.of('a')?.significance, chosen.of('b')?.significance, chosen.of('c')?.significance],
    ['not_significant', 'significant', null],
  );
});

test('of more than two variants, the winner must differ from each, with p-values corrected for all pairs', () => {
  const trials = [trial('a', 1_000, 100), trial('b', 1_000, 150), trial('c', 1_000, 118)];
  const { winner, significance, p_value, of } = resultOf(trials);
  assert.deepEqual([winner, significance], ['b', 'not_significant'], 'without the correction, both differ significantly from b');
  // R: p.adjust(c(a_b = 0.000723, b_c = 0.035684, a_c = 0.196519), method = "holm")
  isClose(of('a')?.p_value, 0.0021697);
  isClose(of('c')?.p_value, 0.071369);
  assert.deepEqual([of('a')?.significance, of('c')?.significance, p_value], ['significant', 'not_significant', of('c')?.p_value]);
  const clear = resultOf([trial('a', 1_000, 100), trial('b', 1_000, 150), trial('c', 1_000, 100)]);
  assert.deepEqual([clear.winner, clear.significance], ['b', 'significant']);
  const small = resultOf([trial('a', 1_000, 100), trial('b', 1_000, 150), trial('c', 3, 0)]);
  assert.deepEqual(
    [small.significance, small.of('a')?.significance, small.of('c')?.significance],
    ['not_enough_data', 'significant', 'not_enough_data'],
  );
});

test('by revenue, the variant with the most per accepted email wins, not the one with the most buyers, and no significance is reported', () => {
  const few = { ...trial('a', 100, 2), revenue: 300 };
  const many = { ...trial('b', 200, 30), revenue: 400 };
  const { winner, significance, p_value, of } = resultOf([many, few]);
  assert.deepEqual([winner, significance, p_value, of('b')?.significance], ['a', null, null, null]);
  assert.equal(bestOf([many, { ...few, accepted: 0, revenue: 0 }]), 'b');
});

test('a p-value is between 0 and 1, and the best rate wins, for any numbers', () => {
  const trials = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000 })), { minLength: 2, maxLength: 5 })
    .map((all) =>
      all.map(([accepted, permille], index) => trial('abcde'.charAt(index), accepted, Math.floor((accepted * permille) / 1_000))),
    );
  fc.assert(
    fc.property(trials, (all) => {
      const { winner, p_value, of } = resultOf(all);
      const isProbability = (p: number | null | undefined) => p === null || p === undefined || (p >= 0 && p <= 1);
      assert.ok(isProbability(p_value) && all.every(({ id }) => isProbability(of(id)?.p_value)));
      const rate = ({ accepted, successes }: ReturnType<typeof trial>) => successes / accepted;
      const won = all.find(({ id }) => id === winner);
      assert.ok(won && all.every((one) => rate(one) <= rate(won)));
    }),
  );
});

test('contacts are assigned by weight, and always in the same way', () => {
  const variant = (id: string, weight: number) => ({
    ...{ id, weight, subject: null, preview_text: null, from: null, html: null, text: null },
    delay_minutes: 0,
  });
  const abTest: AbTest = {
    variants: [variant('a', 70), variant('b', 30)],
    ...{ sample_percent: 20, metric: 'opens', currency: null, selection: 'manual', duration_minutes: 1 },
  };
  const assign = (index: number) => assignmentOf(abTest, trustedId<'campaign'>('campaign_1'), trustedId<'contact'>(`contact_${index}`));
  const all = Array.from({ length: 10_000 }, (_, index) => assign(index));
  assert.deepEqual(
    all.map((_, index) => assign(index)),
    all,
  );
  const share = (id: string) => all.filter((one) => one !== 'rest' && one.variant === id).length / all.length;
  assert.ok(Math.abs(share('a') - 0.14) < 0.015 && Math.abs(share('b') - 0.06) < 0.01, `${share('a')} ${share('b')}`);
  const whole = { ...abTest, sample_percent: 100 };
  assert.ok(
    all.every((_, index) => assignmentOf(whole, trustedId<'campaign'>('campaign_1'), trustedId<'contact'>(`contact_${index}`)) !== 'rest'),
  );
});
