import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

test('GET /v2/contacts/:id', async (t) => {
  const { app } = await testService(t, await testParts(t, 'contacts'), buildApp);
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `/v2/contacts/${(await client.post('/v2/contacts', { email: 'ada@example.com' })).data.id}`,
  });

  await t.test('returns the contact with its ETag', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts', { email: 'ada@example.com' });
    const response = await account.get(`/v2/contacts/${data.id}`);
    assert.deepEqual([response.status, response.data, response.headers.etag], [200, data, '"1"']);
  });

  await t.test('returns 404 for malformed ids of any form', async () => {
    const account = testClient(app);
    for (const id of ['contact_1', 'nope', encodeURIComponent('{"$gt":""}'), 'a'.repeat(290), 'contact_01h455vb4pex5vsknk084sn02q%00']) {
      const response = await account.get(`/v2/contacts/${id}`);
      assert.deepEqual(
        [response.status, response.error.code, response.error.message],
        [404, 'NOT_FOUND', 'This account has no resource with this ID.'],
      );
    }
  });
});
