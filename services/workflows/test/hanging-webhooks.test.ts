import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { receiver } from './receiver.ts';
import { config, fakeServices, knownContacts } from './setting.ts';

test('the hanging webhooks of one account delay nothing else', async (t) => {
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(
    t,
    parts,
    (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true, webhookTimeoutMs: 600_000 }),
    {
      live: true,
    },
  );
  const [hanging, other] = [testClient(app, { permission: 'admin' }), testClient(app, { permission: 'admin' })];

  /** Contacts of the account whose calls arrived and got no response. */
  const held: string[] = [];
  const url = await receiver(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (body.includes('"hang"')) held.push(body);
    else response.end('ok');
  });
  const quick = await receiver(t, (request, response) => request.resume().on('end', () => response.end('ok')));

  const begin = async (client: Client, count: number, steps: object[]) => {
    const { data: workflow } = await client.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
    const contacts = (await knownContacts(parts, client.accountId, count)).map((contact_id) => ({ contact_id }));
    const response = await client.post(`/v2/workflows/${workflow.id}/trigger`, { contacts });
    assert.equal(response.status, 202, response.text);
    return response.data.runs.map((run: { run_id: string }) => run.run_id);
  };
  const ended = (client: Client, runId: string) =>
    eventually(async () => {
      const { data } = await client.get(`/v2/workflows/runs/${runId}`);
      return data.ended_at !== null && data;
    });
  const stuck = await begin(hanging, 200, [{ id: 'hook', type: 'webhook', url, body: { kind: 'hang' } }]);
  await eventually(async () => held.length > 0);

  await t.test('timers end in time, those of the account and those of others', async () => {
    const steps = [{ id: 'wait', type: 'delay', for: 'PT1S' }];
    const [[theirs], [own]] = [await begin(other, 1, steps), await begin(hanging, 1, steps)];
    assert.equal((await ended(other, theirs)).state, 'completed');
    assert.equal((await ended(hanging, own)).state, 'completed');
  });

  await t.test('webhooks of other accounts are called in time, to the same host or another', async () => {
    const [same] = await begin(other, 1, [{ id: 'hook', type: 'webhook', url, body: { kind: 'good' } }]);
    const [another] = await begin(other, 1, [{ id: 'hook', type: 'webhook', url: quick }]);
    for (const runId of [same, another]) assert.match((await ended(other, runId)).log.at(-2).text, /200/);
  });

  assert.ok(held.length <= 8, `${held.length} concurrent calls of one account`);
  assert.equal(stuck.length, 200);
});

test('a webhook that waits for its next attempt', async (t) => {
  let ahead = 0;
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const clock = () => new Date(Date.now() + ahead);
  const { app, webhookCaller } = await testService(t, parts, (own) => buildApp(own, { ...config, clock, WEBHOOK_ALLOW_PRIVATE: true }), {
    live: true,
  });
  const account = testClient(app, { permission: 'admin' });
  const calls: string[] = [];
  let status = 500;
  const url = await receiver(t, (request, response) => {
    calls.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(status).end());
  });
  const begin = async () => {
    const steps = [{ id: 'hook', type: 'webhook', url }];
    const { data: workflow } = await account.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
    const [contact_id] = await knownContacts(parts, account.accountId, 1);
    const { data } = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id });
    return { workflowId: workflow.id, runId: String(data.runs[0].run_id) };
  };
  const read = async (runId: string) => (await account.get(`/v2/workflows/runs/${runId}`)).data;
  const attempted = (runId: string) => eventually(async () => (await read(runId)).sequence === 2);
  const callsOf = (runId: string) => calls.filter((id) => id.startsWith(runId));
  const ended = (runId: string) =>
    eventually(async () => {
      const run = await read(runId);
      return run.ended_at !== null && run;
    });

  await t.test('is held by a pause and called with the same id afterwards', async () => {
    const { workflowId, runId } = await begin();
    await attempted(runId);
    await account.post(`/v2/workflows/${workflowId}/pause`);
    ahead += 10_000;
    webhookCaller.wake();
    await eventually(async () => {
      const held = await parts.mongo.db.collection<{ _id: string; call_at: Date }>('runs').findOne({ _id: runId });
      return held !== null && held.call_at > clock();
    });
    assert.equal(callsOf(runId).length, 1);
    status = 200;
    await account.post(`/v2/workflows/${workflowId}/activate`);
    assert.equal((await ended(runId)).state, 'completed');
    assert.deepEqual(callsOf(runId), [`${runId}:1`, `${runId}:1`]);
  });

  await t.test('ends with its workflow', async () => {
    status = 500;
    const { workflowId, runId } = await begin();
    await attempted(runId);
    const nextAttempt = (await read(runId)).wake_at;
    await account.post(`/v2/workflows/${workflowId}/archive`);
    const run = await ended(runId);
    assert.equal(run.reason, 'workflow_archived');
    assert.ok(run.ended_at < nextAttempt, 'immediately, not when its next attempt was due');
    assert.equal(callsOf(runId).length, 1);
  });

  await t.test('is called by this version even if an earlier version left it to the engine', async () => {
    const { runId } = await begin();
    await attempted(runId);
    status = 200;
    const stored = parts.mongo.db.collection<{ _id: string }>('runs');
    await stored.updateOne({ _id: runId }, { $unset: { call_at: '', 'waiting.host': '' }, $set: { due_at: clock() } });
    ahead += 10_000;
    assert.equal((await ended(runId)).state, 'completed');
  });
});

test('a webhook in flight is not called a second time when its workflow is paused and activated', async (t) => {
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app, webhookCaller } = await testService(t, parts, (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true }), {
    live: true,
  });
  const account = testClient(app, { permission: 'admin' });
  const held: (() => void)[] = [];
  const url = await receiver(t, (request, response) => request.resume().on('end', () => held.push(() => response.end('ok'))));
  const { data: workflow } = await account.post('/v2/workflows', {
    name: 'W',
    trigger: { type: 'manual' },
    steps: [{ id: 'hook', type: 'webhook', url }],
  });
  const [called = '', witness = ''] = await knownContacts(parts, account.accountId, 2);
  const begin = (contact_id: string) => account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id });
  await begin(called);
  await eventually(async () => held.length === 1);
  for (const verb of ['pause', 'activate']) assert.equal((await account.post(`/v2/workflows/${workflow.id}/${verb}`)).status, 200);
  const runs = parts.mongo.db.collection<{ call_at: Date }>('runs');
  // When the second run is called, a later look has passed over the first one.
  await begin(witness);
  webhookCaller.wake();
  await eventually(async () => held.length >= 2);
  const stored = await runs.findOne({ account_id: account.accountId, contact_id: called });
  assert.ok(stored && stored.call_at.getTime() > Date.now(), 'its caller holds it');
  assert.equal(held.length, 2);
  for (const respond of held) respond();
  await eventually(async () => (await runs.countDocuments({ account_id: account.accountId, state: 'completed' })) === 2);
});

test('a host that does not respond is not called again until one call has probed it; other accounts still call it', async (t) => {
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  // Does not advance, so that no retry becomes due automatically.
  let now = Date.now();
  const clock = () => new Date(now);
  const { app, webhookCaller } = await testService(t, parts, (own) => buildApp(own, { ...config, clock, WEBHOOK_ALLOW_PRIVATE: true }), {
    live: true,
  });
  const [account, other] = [testClient(app, { permission: 'admin' }), testClient(app, { permission: 'admin' })];
  const calls: string[] = [];
  let isDown = true;
  const url = await receiver(t, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const of = body.includes('"other"') ? 'other' : 'account';
    calls.push(of);
    if (of === 'account' && isDown) response.destroy();
    else response.end('ok');
  });
  const callsOf = (of: string) => calls.filter((one) => one === of).length;
  const begin = async (client: Client, of: string, count: number) => {
    const steps = [{ id: 'hook', type: 'webhook', url, body: { of } }];
    const { data: workflow } = await client.post('/v2/workflows', { name: 'W', trigger: { type: 'manual' }, steps });
    const contacts = (await knownContacts(parts, client.accountId, count)).map((contact_id) => ({ contact_id }));
    const response = await client.post(`/v2/workflows/${workflow.id}/trigger`, { contacts });
    assert.equal(response.status, 202, response.text);
  };
  const runs = parts.mongo.db.collection('runs');
  const completed = (client: Client, count: number) =>
    eventually(async () => (await runs.countDocuments({ account_id: client.accountId, state: 'completed' })) === count);

  await begin(account, 'account', 5);
  await eventually(async () => (await runs.countDocuments({ account_id: account.accountId, sequence: 2 })) === 5);
  assert.equal(callsOf('account'), 5);
  await begin(account, 'account', 1);
  for (const count of [1, 2]) {
    await begin(other, 'other', 1);
    await completed(other, count);
  }
  assert.equal(callsOf('account'), 5);

  isDown = false;
  now += 30_000;
  webhookCaller.wake();
  await completed(account, 6);
  assert.equal(callsOf('account'), 11);
});
