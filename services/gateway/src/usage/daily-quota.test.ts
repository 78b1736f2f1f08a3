import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/parts';
import fc from 'fast-check';
import { createDailyQuota } from './daily-quota.ts';
import { dayOf } from './day.ts';
import { createUsageStore } from './usage-store.ts';

const fail = (error: unknown) => {
  throw error;
};

test('the daily quota', async (t) => {
  const { mongo } = await testParts(t, 'quota');
  const usage = createUsageStore(mongo.db);
  await usage.prepare();
  const gateway = () => createDailyQuota({ usage: createUsageStore(mongo.db), onError: fail });

  await t.test('three gateways together admit exactly the limit: never more, and none refused before it is spent', async () => {
    const orders = fc.array(fc.nat(2), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), orders, async (limit, requests) => {
        const accountId = newId('account');
        const gateways = [gateway(), gateway(), gateway()];
        const answers = await Promise.all(requests.map((index) => gateways[index]?.spend(accountId, '2026-03-01', limit)));
        const admitted = answers.filter((used) => used !== undefined);
        assert.equal(admitted.length, Math.min(limit, requests.length));
        assert.deepEqual(
          admitted.toSorted((a, b) => a - b),
          admitted.map((_, index) => index + 1),
          'each admitted request has its own number',
        );
        assert.equal(await usage.used(accountId, '2026-03-01'), admitted.length);
      }),
      { numRuns: 25 },
    );
  });

  await t.test('requests that come together are counted together', async () => {
    let updates = 0;
    const counting = {
      ...usage,
      spend: (...args: Parameters<typeof usage.spend>) => {
        updates += 1;
        return usage.spend(...args);
      },
    };
    const quota = createDailyQuota({ usage: counting, onError: fail });
    const accountId = newId('account');
    const answers = await Promise.all(Array.from({ length: 200 }, () => quota.spend(accountId, '2026-03-01', 150)));
    assert.equal(answers.filter((used) => used !== undefined).length, 150);
    assert.ok(updates <= 3, `${updates} updates`);
    assert.equal(await usage.used(accountId, '2026-03-01'), 150);
  });

  await t.test('a count that fails admits nobody, and the next one counts', async () => {
    let failing = true;
    const flaky = {
      ...usage,
      spend: async (...args: Parameters<typeof usage.spend>) => {
        if (failing) throw new Error('away');
        return usage.spend(...args);
      },
    };
    const quota = createDailyQuota({ usage: flaky, onError: fail });
    const accountId = newId('account');
    const answers = await Promise.allSettled([1, 2, 3].map(() => quota.spend(accountId, '2026-03-01', 10)));
    assert.ok(answers.every(({ status }) => status === 'rejected'));
    failing = false;
    assert.equal(await quota.spend(accountId, '2026-03-01', 10), 1);
  });

  await t.test('a new day is a new counter', async () => {
    const quota = gateway();
    const accountId = newId('account');
    const before = dayOf(Date.parse('2026-02-28T23:59:59.999Z'));
    const after = dayOf(Date.parse('2026-03-01T00:00:00.000Z'));
    assert.equal(await quota.spend(accountId, before.date, 1), 1);
    assert.equal(await quota.spend(accountId, before.date, 1), undefined);
    assert.equal(await quota.spend(accountId, after.date, 1), 1);
    assert.equal(await quota.spend(accountId, before.date, 1), undefined, 'a clock that steps back counts in its own day');
  });

  await t.test('a larger plan admits at once and keeps the count; a smaller one refuses at once', async () => {
    const quota = gateway();
    const accountId = newId('account');
    for (const used of [1, 2]) assert.equal(await quota.spend(accountId, '2026-03-01', 2), used);
    assert.equal(await quota.spend(accountId, '2026-03-01', 2), undefined);
    assert.equal(await quota.spend(accountId, '2026-03-01', 5), 3);
    assert.equal(await quota.spend(accountId, '2026-03-01', 2), undefined);
  });

  await t.test('a restart in the middle of the day goes on where it was', async () => {
    const accountId = newId('account');
    assert.equal(await gateway().spend(accountId, '2026-03-01', 2), 1);
    assert.equal(await gateway().spend(accountId, '2026-03-01', 2), 2);
    assert.equal(await gateway().spend(accountId, '2026-03-01', 2), undefined);
  });

  await t.test('without a limit everything is counted, written later, and shown at once', async () => {
    const quota = gateway();
    const accountId = newId('account');
    for (let index = 0; index < 7; index += 1) quota.count(accountId, '2026-03-01');
    assert.equal(await quota.used(accountId, '2026-03-01'), 7);
    assert.equal(await usage.used(accountId, '2026-03-01'), 0);
    await quota.stop();
    assert.equal(await usage.used(accountId, '2026-03-01'), 7);
    assert.equal(await quota.used(accountId, '2026-03-01'), 7);
  });
});

test('a day is the UTC calendar day, also on leap days, and always has whole seconds left', () => {
  assert.deepEqual(dayOf(Date.parse('2028-02-29T12:00:00.500Z')), {
    date: '2028-02-29',
    resetAt: Date.parse('2028-03-01T00:00:00Z'),
    secondsLeft: 43_200,
  });
  fc.assert(
    fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (date) => {
      const day = dayOf(date.getTime());
      assert.equal(day.date, date.toISOString().slice(0, 10));
      assert.ok(day.secondsLeft >= 1 && day.secondsLeft <= 86_400);
    }),
  );
});
