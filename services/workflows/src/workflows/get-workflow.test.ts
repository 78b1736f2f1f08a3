import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { quietService, smallest } from '../../test/setting.ts';

test('GET /v2/workflows and /v2/workflows/:id', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'workflows:read', url: () => '/v2/workflows' });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'workflows:read',
    url: async (client) => `/v2/workflows/${(await client.post('/v2/workflows', smallest)).data.id}`,
  });
  const created: { id: string }[] = [];
  for (const status of ['active', 'draft', 'active']) created.push((await account.post('/v2/workflows', { ...smallest, status })).data);
  const ids = async (query: string) => (await account.get(`/v2/workflows?${query}`)).data.items.map(({ id }: { id: string }) => id);

  await t.test('returns the created workflow with its ETag', async () => {
    const response = await account.get(`/v2/workflows/${created[0]?.id}`);
    assert.deepEqual([response.data, response.headers.etag], [created[0], '"1"']);
    assert.equal((await account.get('/v2/workflows/workflow_1')).status, 404);
  });

  await t.test('lists the newest first, by status and in pages', async () => {
    const [a, b, c] = created.map(({ id }) => id);
    assert.deepEqual(await ids('sort=-created_at'), [c, b, a]);
    assert.deepEqual(await ids('sort=created_at'), [a, b, c]);
    assert.deepEqual(await ids('status=draft'), [b]);
    const first = (await account.get('/v2/workflows?limit=2&include=total_count')).data.pagination;
    assert.deepEqual([first.has_more, first.total_count], [true, 3]);
    assert.deepEqual(await ids(`limit=2&cursor=${first.next_cursor}`), [a]);
    assert.equal((await account.get('/v2/workflows?status=asleep')).status, 400);
  });

  await t.test('finds workflows by the beginnings of the words of their names', async () => {
    const own = testClient(app);
    for (const name of ['Welcome large teams', 'Win back']) await own.post('/v2/workflows', { ...smallest, name });
    const found = async (q: string) => (await own.get(`/v2/workflows?q=${q}`)).data.items.map(({ name }: { name: string }) => name);
    assert.deepEqual(await found('w'), ['Win back', 'Welcome large teams']);
    assert.deepEqual(await found('TEAM%20wel'), ['Welcome large teams']);
    assert.deepEqual(await found('eam'), []);
    const { next_cursor } = (await own.get('/v2/workflows?q=w&limit=1')).data.pagination;
    assert.deepEqual((await own.get(`/v2/workflows?q=w&limit=1&cursor=${next_cursor}`)).data.items[0].name, 'Welcome large teams');
    assert.equal((await own.get(`/v2/workflows?q=win&limit=1&cursor=${next_cursor}`)).status, 400, 'the cursor of another search');
  });

  await t.test('returns a trigger stored by an earlier version unchanged, although it would no longer be accepted', async () => {
    const own = testClient(app);
    const event = (name: string) => ({ ...smallest, trigger: { type: 'event', name } });
    const { data: workflow } = await own.post('/v2/workflows', event('  order\u0308  '));
    assert.equal(workflow.trigger.name, 'order\u0308'.normalize('NFC'));
    assert.equal((await own.post('/v2/workflows', event('  '))).error.details[0].path, '/trigger/name');
    for (const stored of ['   ', '  order ']) {
      const { trigger, steps, entry, on_error } = { ...workflow, trigger: { type: 'event', name: stored } };
      const definition = JSON.stringify({ trigger, steps, entry, on_error });
      for (const collection of ['workflows', 'versions'])
        await parts.mongo.db.collection(collection).updateMany({ account_id: own.accountId }, { $set: { definition } });
      const responses = [await own.get('/v2/workflows'), await own.get(`/v2/workflows/${workflow.id}/versions`)];
      for (const { data, text } of responses) assert.equal(data?.items[0].trigger.name, stored, text);
      assert.equal((await own.get(`/v2/workflows/${workflow.id}`)).data?.trigger.name, stored);
      const renamed = await own.put(`/v2/workflows/${workflow.id}`, { name: `Other${stored}!` });
      assert.deepEqual([renamed.status, renamed.data.trigger.name, renamed.data.version], [200, stored, 1]);
    }
  });
});
