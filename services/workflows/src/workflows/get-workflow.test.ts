import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { quietService, smallest } from '../../test/setting.ts';

test('GET /v2/workflows and /v2/workflows/:id', async (t) => {
  const { app } = await quietService(t);
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

  await t.test('answers what was created, with its ETag', async () => {
    const answer = await account.get(`/v2/workflows/${created[0]?.id}`);
    assert.deepEqual([answer.data, answer.headers.etag], [created[0], '"1"']);
    assert.equal((await account.get('/v2/workflows/workflow_1')).status, 404);
  });

  await t.test('lists newest first, by status and page by page', async () => {
    const [a, b, c] = created.map(({ id }) => id);
    assert.deepEqual(await ids('sort=-created_at'), [c, b, a]);
    assert.deepEqual(await ids('sort=created_at'), [a, b, c]);
    assert.deepEqual(await ids('status=draft'), [b]);
    const first = (await account.get('/v2/workflows?limit=2&include=total_count')).data.pagination;
    assert.deepEqual([first.has_more, first.total_count], [true, 3]);
    assert.deepEqual(await ids(`limit=2&cursor=${first.next_cursor}`), [a]);
    assert.equal((await account.get('/v2/workflows?status=asleep')).status, 400);
  });
});
