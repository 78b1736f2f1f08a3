import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import { newId, trustedId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, knownContact, smallest } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('a role with limits starts no workflow that sends beyond them', async (t) => {
  const play = await fakeServices(t);
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

  await t.test('does not create, activate or change a workflow that sends beyond them', async () => {
    await refused(ada.post('/v2/workflows', { ...smallest, steps: foreign, status: 'active' }));
    const draft = await made(ada, { steps: foreign, status: 'draft' });
    await refused(ada.post(`${draft}/activate`));
    const active = await made(ada, { steps: [send('news@example.com')], status: 'active' });
    await refused(ada.put(active, { steps: foreign }));
    assert.equal((await admin.post(`${draft}/activate`)).status, 200, 'others may');
  });

  await t.test('does not approve such a workflow, activate it again after a pause, or start its runs', async () => {
    const active = await made(admin, { steps: foreign, status: 'active' });
    await refused(ada.post(`${active}/trigger`, { contact_id: await knownContact(parts, admin.accountId) }));
    assert.equal((await ada.post(`${active}/pause`)).status, 200, 'it may stop it');
    await refused(ada.post(`${active}/activate`));
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'always' })).status, 200);
    const draft = await made(admin, { steps: foreign, status: 'draft' });
    const { data } = await admin.post(`${draft}/activate`);
    await refused(ada.post(`${draft}/approve`, { revision: data.revision }));
  });

  await t.test('does not use a workflow that starts such a workflow, directly or through others', async () => {
    assert.equal((await admin.put('/v2/workflows/settings', { approval: 'off' })).status, 200);
    const idOf = (path: string) => path.split('/').at(-1);
    const starting = (path: string) => [{ id: 'start', type: 'start_workflow', workflow_id: idOf(path) }];
    const [own, other] = [
      await made(admin, { steps: [send('news@example.com')], status: 'active' }),
      await made(admin, { steps: foreign, status: 'active' }),
    ];
    const between = await made(admin, { steps: starting(other), status: 'active' });
    for (const path of [other, between]) {
      await refused(ada.post('/v2/workflows', { ...smallest, steps: starting(path) }));
      const draft = await made(ada, { steps: starting(path), status: 'draft' });
      await refused(ada.post(`${draft}/activate`));
    }
    await refused(ada.post(`${between}/trigger`, { contact_id: await knownContact(parts, admin.accountId) }));
    const contact_ids = [await knownContact(parts, admin.accountId)];
    const request = { account_id: admin.accountId, workflow_id: trustedId<'workflow'>(idOf(between) ?? ''), contact_ids };
    const bulk = await parts.broker.request(WorkflowRunsStart, { ...request, by: newId('bulk'), lane: 'live', dry_run: true });
    assert.deepEqual(bulk.senders, ['ceo@other.example']);
    await made(ada, { steps: starting(own), status: 'active' });
  });

  await t.test('does not advance runs whose version sends beyond them, nor move runs to such a version', async () => {
    const wait = { id: 'wait', type: 'delay', for: 'P3D', next: 'mail' };
    const started = async (steps: object[]) => {
      const path = await made(admin, { steps, status: 'active' });
      const { data } = await admin.post(`${path}/trigger`, { contact_id: await knownContact(parts, admin.accountId) });
      return { path, run: `/v2/workflows/runs/${data.runs[0].run_id}` };
    };
    const { path, run } = await started([wait, ...foreign]);
    assert.equal((await admin.put(path, { steps: [wait, send('news@example.com')] })).status, 200, 'later versions may');
    await refused(ada.post(`${run}/skip`));
    await refused(ada.post(`${run}/retry`));
    await refused(ada.post(`${run}/rerun-from`, { step_id: 'mail' }));
    const skip = { action: 'skip', filter: { step_id: 'wait' } };
    const { data } = await ada.post(`${path}/runs/actions`, skip);
    assert.deepEqual([data.changed, data.failed[0].error.code], [0, 'FORBIDDEN']);
    assert.equal((await ada.post(`${path}/runs/move`)).data.moved, 1);
    assert.equal((await ada.post(`${path}/runs/actions`, skip)).data.changed, 1, 'the version it is on now');

    const later = await started([wait, send('news@example.com')]);
    assert.equal((await admin.put(later.path, { steps: [wait, ...foreign] })).status, 200);
    await refused(ada.post(`${later.path}/runs/move`));
    assert.equal((await ada.post(`${later.run}/cancel`)).status, 200, 'it may stop it');
  });

  await t.test('does not change a draft that another user activates in the meantime', async () => {
    const template_id = newId('template');
    play.templates.set(template_id, { subject: 'Hi', preview_text: null, html: '<p>Hi</p>', text: null });
    for (const author of [ada, admin.as({ scopes: ['workflows:read', 'workflows:write'] })]) {
      const draft = await made(admin, { status: 'draft' });
      play.beforeTemplate = () => admin.post(`${draft}/activate`);
      const steps = [{ id: 'mail', type: 'send', from: { email: 'ceo@other.example' }, template_id }];
      const { status, text } = await author.put(draft, { steps });
      play.beforeTemplate = async () => undefined;
      assert.equal(status, 403, text);
      assert.equal((await admin.get(draft)).data.status, 'active');
    }
  });

  await t.test('a role with topics activates only workflows without emails, which have no topic', async () => {
    const topics = limited(['news'], null);
    await refused(topics.post(`${await made(topics, { steps: [send('news@example.com')], status: 'draft' })}/activate`));
    const waits = [{ id: 'wait', type: 'delay', for: 'P3D' }];
    assert.equal((await topics.post(`${await made(topics, { steps: waits, status: 'draft' })}/activate`)).status, 200);
  });
});
