import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { createDomainThrottles, throttled } from './domain-throttles.ts';
import { allowanceOf } from './throttle-allowance.ts';

test('at any rate and for any requests, a throttle allows its rate and half a second more', () => {
  const request = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 200 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.array(request, { minLength: 1, maxLength: 50 }), (perMinute, requests) => {
      let [now, freeAt, allowed] = [1_000_000, undefined as number | undefined, 0];
      for (const [waitMs, wanted] of requests) {
        now += waitMs;
        const next = allowanceOf({ freeAt, perMinute }, wanted, now);
        freeAt = next.freeAt;
        allowed += next.count;
        assert.ok(next.count <= wanted);
        assert.ok(allowed <= 1 + ((now - 1_000_000 + 500) / 60_000) * perMinute + 1e-6, `${allowed} after ${now - 1_000_000} ms`);
      }
    }),
  );
});

test('throttles of domains', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const throttles = createDomainThrottles(parts.mongo.db);
  await throttles.prepare();

  await t.test('workers that reserve at the same time share one throttle, and each email beyond it has its own time', async () => {
    const accountId = newId('account');
    const throttle = { side: 'receiving', domain: 'slow.example', per_minute: 60 } as const;
    const began = Date.now();
    const reserved = await Promise.all(Array.from({ length: 4 }, () => throttles.reserve(accountId, throttle, 10, 0)));
    assert.equal(
      reserved.reduce((sum, { count }) => sum + count, 0),
      1,
      'one per second, and none ahead',
    );
    const planned = reserved.filter(({ laterAt }) => laterAt(0).getTime() > began + 200);
    const times = planned.flatMap(({ count, laterAt }) => Array.from({ length: 10 - count }, (_, index) => laterAt(index).getTime()));
    const seconds = times.toSorted((a, b) => a - b).map((time, index, all) => time - (all[index - 1] ?? time - 1_000));
    assert.ok(
      seconds.every((gap) => Math.abs(gap - 1_000) <= 1),
      `a second apart: ${seconds}`,
    );
    assert.equal((await throttles.reserve(newId('account'), throttle, 1, 0)).count, 1, 'another account has its own');
  });

  await t.test('an email needs the allowance of both its domains; what one of them does not use is returned', async () => {
    const accountId = newId('account');
    const all = [
      { side: 'sending', domain: 'us.example', per_minute: 120 },
      { side: 'receiving', domain: 'them.example', per_minute: 600 },
    ] as const;
    const emails = ['them.example', 'them.example', 'them.example', 'free.example'].map((domain) => ({ domain }));
    const { allowed, later } = await throttled(throttles, { accountId, all: [...all], from: 'us.example', revision: 0 }, emails);
    assert.deepEqual([allowed.length, later.length], [2, 2], 'the sender may send two in the first half second');
    const other = await throttled(throttles, { accountId, all: [...all], from: 'other.example', revision: 0 }, emails);
    assert.equal(other.allowed.length, 4, 'the domain of the address still allows what the sender did not send');
  });

  await t.test('the allowance of emails that are not sent after all is given to others', async () => {
    const accountId = newId('account');
    const all = [
      { side: 'sending', domain: 'us.example', per_minute: 1 },
      { side: 'receiving', domain: 'them.example', per_minute: 1 },
    ] as const;
    const read = () => throttled(throttles, { accountId, all: [...all], from: 'us.example', revision: 0 }, [{ domain: 'them.example' }]);
    const first = await read();
    assert.deepEqual([first.allowed.length, (await read()).allowed.length], [1, 0]);
    await first.giveBack(first.allowed);
    assert.equal((await read()).allowed.length, 1);
  });

  await t.test('no email is planned so late that a higher throttle would not help', async () => {
    const accountId = newId('account');
    const { laterAt } = await throttles.reserve(accountId, { side: 'sending', domain: 'a.example', per_minute: 1 }, 100_000, 0);
    assert.ok(laterAt(99_999).getTime() <= Date.now() + 15 * 60_000);
  });

  await t.test('changed settings plan anew: those that wait have become due, and the times they had are free', async () => {
    const accountId = newId('account');
    const slow = { side: 'receiving', domain: 'slow.example', per_minute: 1 } as const;
    await throttles.reserve(accountId, slow, 10, 1);
    const again = await throttles.reserve(accountId, slow, 9, 2);
    assert.ok(again.laterAt(0).getTime() <= Date.now() + 60_000, 'the next one is still the next');
    const fast = { ...slow, per_minute: 600 };
    const raised = await throttles.reserve(accountId, fast, 9, 3);
    assert.ok(raised.laterAt(0).getTime() <= Date.now() + 100, 'the wait of the lower rate does not last');
    await throttles.reserve(accountId, slow, 9, 1);
    const next = await throttles.reserve(accountId, fast, 1, 3);
    assert.ok(
      next.count === 1 || next.laterAt(0).getTime() > Date.now() + 200,
      'a worker with the earlier settings takes from the same throttle',
    );
  });
});
