import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { quietService, smallest } from '../../test/setting.ts';

test('POST /v2/workflows/:id/activate, /pause, /archive and DELETE', async (t) => {
  const { app } = await quietService(t);
  const account = testClient(app);
  const create = async (client: ReturnType<typeof testClient>, status = 'active') =>
    `/v2/workflows/${(await client.post('/v2/workflows', { ...smallest, status })).data.id}`;
  for (const verb of ['activate', 'pause', 'archive']) {
    await guaranteeRoute(t, app, {
      method: 'POST',
      scope: verb === 'activate' ? 'workflows:activate' : 'workflows:write',
      url: async (client) => `${await create(client)}/${verb}`,
      body: {},
    });
  }
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'workflows:write', url: create });

  await t.test('changes the status and rejects invalid transitions', async () => {
    const path = await create(account, 'draft');
    const paused = await account.post(`${path}/pause`);
    assert.deepEqual([paused.status, paused.error.code], [409, 'INVALID_STATE']);
    assert.match(paused.error.message, /draft/);
    const states = [];
    for (const verb of ['activate', 'pause', 'pause', 'activate', 'archive', 'activate']) {
      states.push((await account.post(`${path}/${verb}`)).data.status);
    }
    assert.deepEqual(states, ['active', 'paused', 'paused', 'active', 'archived', 'active']);
    assert.equal((await account.get(path)).data.revision, 6, 'a repeated request changes nothing');
  });

  await t.test('sets activated_at to the last activation', async () => {
    const path = await create(account);
    const before = (await account.get(path)).data.activated_at;
    await account.post(`${path}/pause`);
    assert.equal((await account.get(path)).data.activated_at, before);
    await account.post(`${path}/activate`);
    assert.ok((await account.get(path)).data.activated_at > before);
  });

  await t.test('deletes once', async () => {
    const path = await create(account);
    assert.equal((await account.delete(path, { 'if-match': '"9"' })).status, 412);
    const response = await account.delete(path);
    assert.deepEqual([response.status, response.data], [200, { id: path.split('/').at(-1), deleted: true }]);
    assert.deepEqual([(await account.delete(path)).status, (await account.get(path)).status], [404, 404]);
  });
});
