import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { quietService, smallest } from '../../test/setting.ts';

test('PUT /v2/workflows/:id and GET /v2/workflows/:id/versions', async (t) => {
  const { app } = await quietService(t);
  const account = testClient(app, { permission: 'admin' });
  const create = async (body = {}) => (await account.post('/v2/workflows', { ...smallest, ...body })).data;
  const url = async (client: ReturnType<typeof testClient>) => `/v2/workflows/${(await client.post('/v2/workflows', smallest)).data.id}`;
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'workflows:write', url, body: { name: 'Other' } });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: async (client) => `${await url(client)}/versions` });
  const steps = [{ id: 'tag', type: 'add_tag', tag: 'other' }];
  const versions = async (id: string) =>
    (await account.get(`/v2/workflows/${id}/versions`)).data.items.map((one: { version: number; steps: object[] }) => [
      one.version,
      one.steps,
    ]);

  await t.test('renames without a new version', async () => {
    const workflow = await create();
    const { data } = await account.put(`/v2/workflows/${workflow.id}`, { name: ' Other ', description: 'Why' });
    assert.deepEqual([data.name, data.description, data.version, data.revision], ['Other', 'Why', 1, 2]);
  });

  await t.test('keeps the old version of a workflow that was active, and replaces that of a draft', async () => {
    const [active, draft] = [await create(), await create({ status: 'draft' })];
    assert.equal((await account.put(`/v2/workflows/${active.id}`, { steps })).data.version, 2);
    assert.deepEqual(await versions(active.id), [
      [2, steps],
      [1, smallest.steps],
    ]);
    assert.equal((await account.put(`/v2/workflows/${draft.id}`, { steps })).data.version, 1);
    assert.deepEqual(await versions(draft.id), [[1, steps]]);
  });

  await t.test('accepts the response of GET and writes nothing', async () => {
    const workflow = await create();
    const response = await account.put(`/v2/workflows/${workflow.id}`, (await account.get(`/v2/workflows/${workflow.id}`)).data);
    assert.deepEqual([response.status, response.data], [200, workflow], response.text);
    const forged = await account.put(`/v2/workflows/${workflow.id}`, { ...workflow, version: 9 });
    assert.deepEqual([forged.status, forged.error.details[0].path], [400, '/version']);
    const moved = await account.put(`/v2/workflows/${workflow.id}`, { status: 'paused' });
    assert.deepEqual([moved.status, moved.error.details[0].path], [400, '/status']);
  });

  await t.test('rejects inconsistent steps and changes nothing', async () => {
    const workflow = await create();
    const response = await account.put(`/v2/workflows/${workflow.id}`, {
      steps: [{ id: 'tag', type: 'add_tag', tag: 'x', next: 'nowhere' }],
    });
    assert.deepEqual([response.status, response.error.details[0].code], [400, 'unknown_step']);
    assert.deepEqual((await account.get(`/v2/workflows/${workflow.id}`)).data, workflow);
  });

  await t.test('respects If-Match, and keeps both of two simultaneous changes', async () => {
    const workflow = await create();
    const path = `/v2/workflows/${workflow.id}`;
    assert.equal((await account.put(path, { name: 'A' }, { 'if-match': '"1"' })).status, 200);
    assert.equal((await account.put(path, { name: 'B' }, { 'if-match': '"1"' })).status, 412);
    await Promise.all([account.put(path, { name: 'C' }), account.put(path, { description: 'D' })]);
    const { data } = await account.get(path);
    assert.deepEqual([data.name, data.description, data.revision], ['C', 'D', 4]);
  });

  await t.test('rejects changes to an archived workflow', async () => {
    const workflow = await create();
    await account.post(`/v2/workflows/${workflow.id}/archive`);
    assert.equal((await account.put(`/v2/workflows/${workflow.id}`, { name: 'X' })).error.code, 'INVALID_STATE');
  });
});
