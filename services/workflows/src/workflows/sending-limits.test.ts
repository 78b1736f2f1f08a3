import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, knownContact, smallest } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('a role with limits starts no workflow that sends beyond them', async (t) => {
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config), { live: true });
  const admin = testClient(app, { principal_id: newId('user'), permission: 'admin' });
  const limited = (topics: string[] | null, senders: string[] | null) =>
    admin.as({ principal_id: newId('user'), permission: 'read_write', sending_limits: { topics, senders } });
  const ada = limited(null, ['@example.com']);
  const send = (email: string) => ({ id: 'mail', type: 'send', from: { email }, subject: 'Hi', html: '<p>Hi</p>' });
  const foreign = [send('ceo@other.example')];
  const refused = async (pending: ReturnType<Client['post']>) => {
    const { status, error, text } = await pending;
    assert.deepEqual([status, error?.code], [403, 'FORBIDDEN'], text);
    assert.match(error.message, /Your role may not send/);
  };
  const made = async (client: Client, body: object) => {
    const { status, data, text } = await client.post('/v2/workflows', { ...smallest, ...body });
    assert.equal(status, 201, text);
    return `/v2/workflows/${data.id}`;
  };

  await t.test('neither as it creates, activates or changes one', async () => {
    await refused(ada.post('/v2/workflows', { ...smallest, steps: foreign, status: 'active' }));
    const draft = await made(ada, { steps: foreign, status: 'draft' });
    await refused(ada.post(`${draft}/activate`));
    const active = await made(ada, { steps: [send('news@example.com')], status: 'active' });
    await refused(ada.put(active, { steps: foreign }));
    assert.equal((await admin.post(`${draft}/activate`)).status, 200, 'others may');
  });

  await t.test('nor as it approves one, or starts or repeats runs of one that others have activated', async () => {
    const active = await made(admin, { steps: foreign, status: 'active' });
    await refused(ada.post(`${active}/trigger`, { contact_id: await knownContact(parts, admin.accountId) }));
    const again = { action: 'rerun_from', step_id: 'mail', filter: {} };
    await refused(ada.post(`${active}/runs/actions`, again));
    assert.equal((await ada.post(`${active}/pause`)).status, 200, 'it may stop it');
    await refused(ada.post(`${active}/activate`));
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'always' })).status, 200);
    const draft = await made(admin, { steps: foreign, status: 'draft' });
    const { data } = await admin.post(`${draft}/activate`);
    await refused(ada.post(`${draft}/approve`, { revision: data.revision }));
  });

  await t.test('a role with topics activates only workflows without emails, which have no topic', async () => {
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'off' })).status, 200);
    const topics = limited(['news'], null);
    await refused(topics.post(`${await made(topics, { steps: [send('news@example.com')], status: 'draft' })}/activate`));
    const waits = [{ id: 'wait', type: 'delay', for: 'P3D' }];
    assert.equal((await topics.post(`${await made(topics, { steps: waits, status: 'draft' })}/activate`)).status, 200);
  });
});
