import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import fc from 'fast-check';
import { admitted, day, fail, startDailyQuotas } from '../../test/daily-quotas.ts';
import { dayOf } from './day.ts';

test('the daily quota', async (t) => {
  const { usage, gateway } = await startDailyQuotas(t);

  await t.test('three gateways together admit exactly the limit', async () => {
    // Some requests come one after the other, so that blocks are reserved; the rest come concurrently.
    const plan = fc.array(fc.tuple(fc.nat(2), fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 150 }), plan, async (limit, turns) => {
        const accountId = newId('account');
        const three = [gateway(), gateway(), gateway()];
        const responses: (number | undefined)[] = [];
        const running: Promise<unknown>[] = [];
        for (const [index, count, atOnce] of turns) {
          for (let one = 0; one < count; one += 1) {
            const pending = Promise.resolve(three[index]?.spend(accountId, day, limit)).then((used) => responses.push(used));
            if (atOnce) running.push(pending);
            else await pending;
          }
        }
        await Promise.all(running);
        const count = admitted(responses).length;
        assert.equal(count, Math.min(limit, responses.length));
        await Promise.all(three.map((each) => each.stop()));
        assert.equal(await usage.used(accountId, day), count, 'unused blocks were given back');
      }),
      { numRuns: 25, seed: 20_260_301 },
    );
  });

  await t.test('a busy account reserves blocks instead of counting each request in the database', async () => {
    let questions = 0;
    const counting: typeof usage.take = (...args) => {
      questions += 1;
      return usage.take(...args);
    };
    const quota = gateway({ take: counting });
    const accountId = newId('account');
    for (let index = 0; index < 3_000; index += 1) assert.equal(await quota.spend(accountId, day, 10_000), index + 1);
    assert.ok(questions < 200, `${questions} questions for 3,000 requests`);
    assert.equal(await quota.used(accountId, day), 3_000);
  });

  await t.test('an occasional caller holds no block', async () => {
    const [one, other] = [gateway(), gateway()];
    const accountId = newId('account');
    assert.equal(await one.spend(accountId, day, 10), 1);
    assert.equal(await usage.used(accountId, day), 1);
    assert.equal(await other.spend(accountId, day, 10), 2);
    assert.equal(await usage.used(accountId, day), 2);
  });

  await t.test('waits for a block held by another gateway instead of rejecting', async () => {
    const accountId = newId('account');
    const busy = gateway();
    for (let index = 0; index < 60; index += 1) await busy.spend(accountId, day, 400);
    const counted = await usage.used(accountId, day);
    const held = counted - 60;
    assert.ok(held > 0, 'it holds a block');
    const other = gateway();
    const responses = await Promise.all(Array.from({ length: 345 }, () => other.spend(accountId, day, 400)));
    assert.equal(admitted(responses).length, 340);
  });

  await t.test('a gateway that crashes loses only its block and does not delay others for long', async () => {
    const accountId = newId('account');
    await usage.take({ accountId, date: day, limit: 100, needed: 0, more: 20, holder: 'dead' });
    let questions = 0;
    const counting: typeof usage.take = (...args) => {
      questions += 1;
      return usage.take(...args);
    };
    const quota = gateway({ take: counting }, fail, () => 0);
    const responses = await Promise.all(Array.from({ length: 100 }, () => quota.spend(accountId, day, 100)));
    assert.equal(admitted(responses).length, 80);
    const before = questions;
    assert.equal(await quota.spend(accountId, day, 100), undefined);
    assert.equal(questions, before, 'a crashed holder is not waited for each time');
  });

  await t.test('a request that arrives while another one is being counted is counted as well', async () => {
    for (let later = 0; later < 12; later += 1) {
      let used = 0;
      const take = async () => {
        used += 1;
        return { granted: 1, used, othersHold: false };
      };
      const quota = gateway({ take, giveBack: async () => undefined });
      const accountId = newId('account');
      const first = quota.spend(accountId, day, 1_000);
      for (let turn = 0; turn < later; turn += 1) await Promise.resolve();
      const responses = await Promise.all([first, quota.spend(accountId, day, 1_000)]);
      assert.deepEqual(responses.toSorted(), [1, 2], `${later} turns later`);
      assert.equal(await quota.spend(accountId, day, 1_000), 3);
    }
  });

  await t.test('23:59:59.999 and 00:00:00.000 are two days, even if the clock is set back in between', async () => {
    const quota = gateway();
    const accountId = newId('account');
    const before = dayOf(Date.parse('2026-02-28T23:59:59.999Z'));
    const after = dayOf(Date.parse('2026-03-01T00:00:00.000Z'));
    assert.equal(await quota.spend(accountId, before.date, 1), 1);
    assert.equal(await quota.spend(accountId, before.date, 1), undefined);
    assert.equal(await quota.spend(accountId, after.date, 1), 1);
    assert.equal(await quota.spend(accountId, before.date, 1), undefined, 'after the clock is set back, the earlier day counts');
  });

  await t.test('around midnight, in both directions, each day admits its own limit', async () => {
    const dates = fc.array(fc.constantFrom('2028-02-28', '2028-02-29', '2028-03-01'), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25 }), dates, async (limit, instants) => {
        const accountId = newId('account');
        const two = [gateway(), gateway()];
        const seen = new Map<string, number>();
        for (const [index, date] of instants.entries()) {
          if ((await two[index % 2]?.spend(accountId, date, limit)) !== undefined) seen.set(date, (seen.get(date) ?? 0) + 1);
        }
        for (const [date, count] of seen) {
          assert.equal(count, Math.min(limit, instants.filter((each) => each === date).length), date);
        }
        await Promise.all(two.map((each) => each.stop()));
      }),
      { numRuns: 15, seed: 20_280_229 },
    );
  });

  await t.test('a new plan applies from the next request on and keeps the count', async () => {
    const requests = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(requests, async (limits) => {
        const quota = gateway();
        const accountId = newId('account');
        let used = 0;
        for (const limit of limits) {
          const response = await quota.spend(accountId, day, limit);
          assert.equal(response !== undefined, used < limit, `${used} used of ${limit}`);
          if (response !== undefined) used += 1;
        }
        await quota.stop();
        assert.equal(await usage.used(accountId, day), used);
      }),
      { numRuns: 15, seed: 20_260_302 },
    );
  });

  await t.test('continues the count after a restart', async () => {
    const accountId = newId('account');
    for (let life = 0; life < 4; life += 1) {
      const quota = gateway();
      for (let index = 1; index <= 40; index += 1)
        assert.equal((await quota.spend(accountId, day, 150)) !== undefined, life * 40 + index <= 150);
      await quota.stop();
    }
    assert.equal(await usage.used(accountId, day), 150);
  });

  await t.test('without a limit, counts in memory, writes later, and reports immediately', async () => {
    const quota = gateway();
    const accountId = newId('account');
    for (let index = 0; index < 7; index += 1) quota.count(accountId, day);
    assert.equal(await quota.used(accountId, day), 7);
    assert.equal(await usage.used(accountId, day), 0);
    await quota.stop();
    assert.equal(await usage.used(accountId, day), 7);
    assert.equal(await quota.used(accountId, day), 7);
  });
});
