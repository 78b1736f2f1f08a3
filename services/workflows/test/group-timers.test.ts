import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { countCommands } from '@mp/test-kit/count-commands';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { runCollections } from '../src/runs/run-collections.ts';
import { config, fakeServices, knownContacts } from './setting.ts';

test('runs that are due together', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows', { monitorCommands: true });
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const { runs, log } = runCollections(parts.mongo.db);
  const waiting = async (count: number, steps: object[]) => {
    const account = testClient(app);
    const { data } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
    const ids = await knownContacts(parts, account.accountId, count);
    await account.post(`/v2/workflows/${data.id}/trigger`, { contacts: ids.map((contact_id) => ({ contact_id })) });
    const { accountId: account_id } = account;
    await eventually(async () => (await runs.countDocuments({ account_id, state: 'waiting' })) === count);
    await counted({ account_id });
    return { account_id };
  };
  /** Steps are counted in the background. Waiting for that keeps earlier steps out of a measurement and its own steps in it. */
  const counted = (own: object) => eventually(async () => (await log.countDocuments({ ...own, uncounted: { $exists: true } })) === 0);
  const ended = (own: object, count: number) =>
    eventually(async () => (await runs.countDocuments({ ...own, state: 'completed' })) === count);

  await t.test('move in few transactions, each exactly once', async () => {
    const own = await waiting(200, [
      { id: 'wait', type: 'delay', for: 'PT1H', next: 'pause' },
      { id: 'pause', type: 'delay', for: 'PT1H', next: 'end' },
      { id: 'end', type: 'exit' },
    ]);
    const isAt = async (count: number, step: object) => (await runs.countDocuments({ ...own, ...step })) === count;
    const before = await runs.find(own).toArray();
    const { commits, documents } = await countCommands(parts.mongo, async () => {
      ahead += 3_600_000;
      engine.wake();
      await eventually(() => isAt(200, { step: 'pause' }));
      await counted(own);
    });
    t.diagnostic(`${commits} commits for 200 runs, including those of counters and the relay`);
    assert.ok(commits <= 60 && documents <= 880, `${commits} commits, ${documents} documents`);
    const moved = await runs.find(own).toArray();
    assert.deepEqual(new Set(moved.map(({ sequence }) => sequence - 1)), new Set(before.map(({ sequence }) => sequence)));
    for (const { _id, sequence } of moved) assert.equal(await log.countDocuments({ run_id: _id, sequence }), 1);
    ahead += 3_600_000;
    engine.wake();
    await eventually(() => isAt(200, { state: 'exited' }));
  });

  await t.test('are not delayed by one that fails', async () => {
    const own = await waiting(40, [{ id: 'wait', type: 'delay', for: 'PT1H' }]);
    const broken = await runs.find(own).skip(20).limit(1).next();
    assert.ok(broken);
    const only = { _id: broken._id satisfies RunId };
    await runs.updateOne(only, { $set: { version: 99 } });
    const { commits } = await countCommands(parts.mongo, async () => {
      ahead += 3_600_000;
      engine.wake();
      await ended(own, 39);
    });
    assert.ok(commits <= 25, `the others move together: ${commits} commits`);
    await runs.updateOne(only, { $set: { version: broken.version } });
    ahead += 60_000;
    engine.wake();
    await ended(own, 40);
  });
});
