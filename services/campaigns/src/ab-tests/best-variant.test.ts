import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedId } from '@mp/ids';
import fc from 'fast-check';
import type { AbTest } from './ab-test.ts';
import { assignmentOf } from './assignment.ts';
import { bestOf } from './best-variant.ts';

const trial = (id: string, accepted: number, successes: number) => ({ id, accepted, successes, revenue: null });

test('the winner has the highest rate, and significance is that of a two-proportion z-test', () => {
  const clear = bestOf([trial('a', 1_000, 100), trial('b', 1_000, 150)]);
  assert.deepEqual([clear.best, clear.significance], ['b', 'significant']);
  // R: prop.test(c(150, 100), c(1000, 1000), correct = FALSE)
  assert.ok(Math.abs((clear.p_value ?? 0) - 0.00073) < 0.00001, String(clear.p_value));
  const close = bestOf([trial('a', 200, 22), trial('b', 200, 20)]);
  assert.deepEqual([close.best, close.significance], ['a', 'not_significant']);
  const little = bestOf([trial('a', 4, 0), trial('b', 4, 1)]);
  assert.deepEqual([little.best, little.significance, little.p_value], ['b', 'not_enough_data', null]);
  const none = bestOf([trial('a', 0, 0), trial('b', 0, 0)]);
  assert.deepEqual([none.best, none.significance], ['a', 'not_enough_data']);
});

test('by revenue, the variant with the most per accepted email wins, not the one with the most buyers, and no significance is reported', () => {
  const few = { ...trial('a', 100, 2), revenue: 300 };
  const many = { ...trial('b', 200, 30), revenue: 400 };
  assert.deepEqual(bestOf([many, few]), { best: 'a', significance: null, p_value: null });
  assert.equal(bestOf([many, { ...few, accepted: 0, revenue: 0 }]).best, 'b');
});

test('a p-value is between 0 and 1, and the best rate wins, for any numbers', () => {
  const trials = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000 })), { minLength: 2, maxLength: 5 })
    .map((all) =>
      all.map(([accepted, permille], index) => trial('abcde'.charAt(index), accepted, Math.floor((accepted * permille) / 1_000))),
    );
  fc.assert(
    fc.property(trials, (all) => {
      const { best, p_value } = bestOf(all);
      assert.ok(p_value === null || (p_value >= 0 && p_value <= 1));
      const rate = ({ accepted, successes }: ReturnType<typeof trial>) => successes / accepted;
      const won = all.find(({ id }) => id === best);
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
