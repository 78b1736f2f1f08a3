import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { basic, startSegment } from '../../test/start-segment.ts';

/** A batch of 500 kB costs about 300 ms; a cost that grows with calls times members is beyond 10 s, or out of memory. */
const maxCpuMs = 4_000;

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const members = (count: number, prefix = 'k') => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));
const tracks = (count: number) => Array.from({ length: count }, () => ({ type: 'track', event: 'x', userId: 'u1' }));

test('a batch costs by its size, not by its calls times what they share', async (t) => {
  const { app, keyOf, stored, send } = await startSegment(t);

  await t.test('a context of 25,000 members beside 2,400 calls, without and with a valid key', async () => {
    const account = testClient(app);
    for (const [key, status] of [
      ['nonsense', 401],
      [keyOf(account.accountId), 200],
    ] as const)
      for (const context of [members(25_000), { page: members(25_000), library: members(10) }]) {
        const cpu = await cpuMsOf(async () =>
          assert.equal((await send('batch', { batch: tracks(2_400), context }, basic(key))).status, status),
        );
        assert.ok(cpu < maxCpuMs, `${Math.round(cpu)} ms of CPU`);
      }
    assert.equal((await stored(account.accountId)).length, 0, 'a call with its context is over 32 kB');
  });
});
