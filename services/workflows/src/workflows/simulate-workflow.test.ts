import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import fc from 'fast-check';
import { arbitraryDefinition } from '../../test/arbitraries.ts';
import { config, knownContact, mail, neighbours, startedRun } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

const vip = { field: 'tags', op: 'contains', value: 'vip' };
const workflow = {
  name: 'Welcome',
  trigger: { type: 'manual' },
  status: 'draft',
  steps: [
    { id: 'hi', ...mail, next: 'wait' },
    { id: 'wait', type: 'delay', for: 'P3D', next: 'which' },
    { id: 'which', type: 'branch', branches: [{ when: vip, to: 'tag' }], else: 'hook' },
    { id: 'tag', type: 'add_tag', tag: 'gold', next: 'end' },
    { id: 'hook', type: 'webhook', url: 'https://example.com/in', next: 'end' },
    { id: 'end', type: 'exit' },
  ],
};

test('POST /v2/workflows/:id/simulate, GET /analytics and /webhook-secret', async (t) => {
  const play = await neighbours(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const account = testClient(app);
  const create = async (client: Client) => `/v2/workflows/${(await client.post('/v2/workflows', workflow)).data.id}`;
  const path = await create(account);
  const simulate = (body: object) => account.post(`${path}/simulate`, body);
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'workflows:write',
    url: async (client) => `${await create(client)}/simulate`,
    body: {},
  });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: async (client) => `${await create(client)}/analytics` });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'settings:read', url: () => '/v2/workflows/webhook-secret' });

  await t.test('lives a draft through in an instant, and tells what would happen when', async () => {
    const from = '2026-03-01T09:00:00.000Z';
    const { status, data } = await simulate({ from, branches: { which: 0 } });
    const later = '2026-03-04T09:00:00.000Z';
    assert.equal(status, 200);
    assert.deepEqual([data.state, data.reason, data.ended_at], ['exited', 'exit_step', later]);
    assert.deepEqual(
      data.messages.map((message: { at: string; step_id: string; subject: string }) => [message.at, message.step_id, message.subject]),
      [[from, 'hi', mail.subject]],
    );
    assert.deepEqual(data.changes, [{ at: later, step_id: 'tag', change: { type: 'add_tag', tag: 'gold' } }]);
    assert.deepEqual(data.webhooks, []);
    assert.deepEqual(
      data.log.map(({ step_id, event }: { step_id: string | null; event: string }) => `${step_id ?? 'run'} ${event}`),
      [
        'run started',
        'hi requested',
        'hi done',
        'wait waiting',
        'wait done',
        'which waiting',
        'which taken',
        'tag requested',
        'tag done',
        'end ended',
      ],
    );
  });

  await t.test('stops where the clock is stopped, and can refuse a step', async () => {
    const { data } = await simulate({ advance: 'P1D', refused: ['hi'] });
    assert.deepEqual([data.state, data.step_id, data.ended_at], ['waiting', 'wait', null]);
    assert.match(data.log[2].text, /Refused in this simulation/);
    assert.equal((await simulate({})).data.webhooks.length, 1, 'else without a contact');
    assert.equal((await simulate({ refused: ['nowhere'] })).error.details[0].code, 'unknown_step');
  });

  await t.test('asks the rules of a contact, and leaves no trace', async () => {
    const contactId = await knownContact(parts, account.accountId);
    play.rule = (ask) => ({ known: true, matches: ask.contact_id === contactId });
    assert.equal((await simulate({ contact_id: contactId })).data.changes.length, 1);
    assert.equal((await simulate({ contact_id: newId('contact') })).status, 400);
    assert.deepEqual([await parts.mongo.db.collection('runs').countDocuments(), play.requests], [0, []]);
  });

  await t.test('runs random workflows to their end', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryDefinition({ loops: false }), async (definition) => {
        const created = await account.post('/v2/workflows', { name: 'Random', status: 'draft', ...definition });
        assert.equal(created.status, 201, created.text);
        const { data } = await account.post(`/v2/workflows/${created.data.id}/simulate`);
        assert.notEqual(data.ended_at, null);
      }),
      { numRuns: 15 },
    );
  });

  await t.test('counts who entered and how they fare at each step', async () => {
    const { workflow: sleeping, runId } = await startedRun(parts, account);
    const more = { contact_id: await knownContact(parts, account.accountId) };
    await account.post(`/v2/workflows/${sleeping.id}/trigger`, more);
    await account.post(`/v2/workflows/runs/${runId}/cancel`);
    const { data } = await account.get(`/v2/workflows/${sleeping.id}/analytics`);
    assert.deepEqual(data.counts, { entered: 2, open: 1, completed: 0, exited: 0, failed: 0, cancelled: 1 });
    assert.deepEqual(data.steps, [
      { step_id: 'wait', waiting: 1, done: 0, skipped: 0 },
      { step_id: 'tag', waiting: 0, done: 0, skipped: 0 },
    ]);
  });

  await t.test('gives the secret to whoever may read settings, another one to each account', async () => {
    const secret = async (client: Client) => (await client.as({ permission: 'admin' }).get('/v2/workflows/webhook-secret')).data.secret;
    assert.match(await secret(account), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(await secret(account), await secret(testClient(app)));
  });
});
