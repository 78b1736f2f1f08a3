import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { backfillAll } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const definition = { field: 'email', op: 'exists' };

test('GET /v2/segments', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, { method: 'GET', scope: 'segments:read', url: () => '/v2/segments' });
  const account = testClient(app);
  for (const name of ['b', 'C', 'a']) assert.equal((await account.post('/v2/segments', { name, definition })).status, 201);
  await backfillAll(built);
  await account.post('/v2/segments', { name: 'd', definition });
  const names = async (query: string) => (await account.get(`/v2/segments?${query}`)).data.items.map(({ name }: { name: string }) => name);

  await t.test('sorts, filters and pages', async () => {
    assert.deepEqual(await names('limit=50'), ['d', 'a', 'C', 'b']);
    assert.deepEqual(await names('sort=created_at'), ['b', 'C', 'a', 'd']);
    assert.deepEqual(await names('sort=name'), ['a', 'b', 'C', 'd']);
    assert.deepEqual(await names('sort=-updated_at&limit=2'), ['d', 'a']);
    assert.deepEqual(await names('status=building'), ['d']);
    assert.deepEqual(await names('status=ready&sort=created_at'), ['b', 'C', 'a']);
    assert.deepEqual(await names('name=c'), ['C']);
    assert.deepEqual(await names('name=c&status=building&sort=name'), []);
    const seen: string[] = [];
    for (let query = 'sort=name&limit=1&include=total_count'; ; ) {
      const { data, headers } = await account.get(`/v2/segments?${query}`);
      assert.equal(data.pagination.total_count, 4);
      seen.push(data.items[0].name);
      if (!data.pagination.next_cursor) break;
      assert.match(String(headers.link), /rel="next"/);
      query = `sort=name&limit=1&include=total_count&cursor=${data.pagination.next_cursor}`;
    }
    assert.deepEqual(seen, ['a', 'b', 'C', 'd']);
    assert.deepEqual((await testClient(app).get('/v2/segments')).data.items, []);
  });

  await t.test('finds segments by the beginnings of the words of their names', async () => {
    const other = testClient(app);
    for (const name of ['Customers in Berlin', 'New customers (a.b)', 'Österreich', 'Ex-customers'])
      await other.post('/v2/segments', { name, definition });
    const found = async (q: string, and = '') =>
      (await other.get(`/v2/segments?sort=created_at&q=${encodeURIComponent(q)}${and}`)).data.items.map(
        ({ name }: { name: string }) => name,
      );
    assert.deepEqual(await found('cust'), ['Customers in Berlin', 'New customers (a.b)', 'Ex-customers']);
    assert.deepEqual(await found('BER customers'), ['Customers in Berlin']);
    assert.deepEqual(await found('österr'), ['Österreich']);
    assert.deepEqual(await found('erlin'), [], 'not in the middle of a word');
    assert.deepEqual(await found('(a.b'), ['New customers (a.b)']);
    assert.deepEqual(await found('.*'), [], 'a search without letters and digits');
    assert.deepEqual(await found('cust', '&archived=true'), []);
    assert.equal((await other.get(`/v2/segments?q=${'x'.repeat(101)}`)).status, 400);
  });

  await t.test('rejects combinations without an index, and cursors of another list', async () => {
    const cursor = (await account.get('/v2/segments?limit=1')).data.pagination.next_cursor;
    for (const query of ['status=ready&sort=name', 'status=old', 'sort=count', 'limit=0', `cursor=${cursor}&sort=name`, 'cursor=x']) {
      assert.equal((await account.get(`/v2/segments?${query}`)).status, 400, query);
    }
  });
});

test('GET /v2/segments/:id', async (t) => {
  const { app } = await testService(t, await testParts(t, 'segments'), buildApp);
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) => `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition })).data.id}`,
  });
  const account = testClient(app);
  const { data } = await account.post('/v2/segments', { name: 'One', description: 'the first', definition });
  const response = await account.get(`/v2/segments/${data.id}`);
  assert.deepEqual([response.status, response.data, response.headers.etag], [200, data, '"1"']);
  for (const id of ['segment_1', 'nope', encodeURIComponent('{"$gt":""}')])
    assert.equal((await account.get(`/v2/segments/${id}`)).status, 404);
});
