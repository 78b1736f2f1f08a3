import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { config, fakeServices, knownContacts } from './setting.ts';

test('an account with many due runs delays the later run of another account by one batch, not by all of them', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const [busy, other] = [testClient(app), testClient(app)];
  const steps = [{ id: 'wait', type: 'delay', for: 'PT1H' }];
  const runs = parts.mongo.db.collection<{ ended_at: Date | null; account_id: AccountId; state: string }>('runs');
  const start = async (account: typeof busy, count: number) => {
    const { data } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
    const ids = await knownContacts(parts, account.accountId, count);
    await account.post(`/v2/workflows/${data.id}/trigger`, { contacts: ids.map((contact_id) => ({ contact_id })) });
    await eventually(async () => (await runs.countDocuments({ account_id: account.accountId, state: 'waiting' })) === count);
  };
  await start(busy, 1_000);
  await start(other, 1);
  ahead = 3_600_000;
  engine.wake();
  const run = await eventually(async () => (await runs.findOne({ account_id: other.accountId, state: 'completed' })) ?? false);
  const before = await runs.countDocuments({ account_id: busy.accountId, ended_at: { $lt: run.ended_at ?? clock() } });
  assert.ok(before < 300, `${before} runs of the busy account ended first`);
});

test('of the due runs of an account, those of a workflow with a high priority go first', async (t) => {
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  await fakeServices(t, clock);
  const parts = await testParts(t, 'workflows');
  const { app, engine } = await testService(t, parts, (own) => buildApp(own, { ...config, clock }), { live: true });
  const account = testClient(app);
  const runs = parts.mongo.db.collection<{ ended_at: Date | null; workflow_id: string; state: string }>('runs');
  const start = async (body: object, count: number) => {
    const steps = [{ id: 'wait', type: 'delay', for: 'PT1H' }];
    const { data } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps, ...body });
    const ids = await knownContacts(parts, account.accountId, count);
    await account.post(`/v2/workflows/${data.id}/trigger`, { contacts: ids.map((contact_id) => ({ contact_id })) });
    await eventually(async () => (await runs.countDocuments({ workflow_id: data.id, state: 'waiting' })) === count);
    return String(data.id);
  };
  const bulk = await start({}, 500);
  const urgent = await start({ priority: 'high' }, 3);
  ahead = 3_600_000;
  engine.wake();
  await eventually(async () => (await runs.countDocuments({ workflow_id: urgent, state: 'completed' })) === 3);
  const [last] = await runs.find({ workflow_id: urgent }).sort({ ended_at: -1 }).limit(1).toArray();
  const before = await runs.countDocuments({ workflow_id: bulk, ended_at: { $lt: last?.ended_at ?? clock() } });
  assert.ok(before < 200, `${before} runs with the usual priority ended first`);
});
