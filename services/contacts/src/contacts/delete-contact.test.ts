import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('DELETE /v2/contacts/:id', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'DELETE',
    scope: 'contacts:write',
    url: async (client) => `/v2/contacts/${(await client.post('/v2/contacts', { email: 'ada@example.com' })).data.id}`,
  });

  await t.test('deletes once, publishes it, and frees the email', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts', { email: 'ada@example.com' });
    const gone = await account.delete(`/v2/contacts/${data.id}`);
    assert.deepEqual([gone.status, gone.data], [200, { id: data.id, deleted: true }]);
    assert.equal((await account.delete(`/v2/contacts/${data.id}`)).status, 404);
    assert.equal((await account.get(`/v2/contacts/${data.id}`)).status, 404);
    assert.equal((await account.post('/v2/contacts', { email: 'ada@example.com' })).status, 201);
    const [deleted] = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: 'contacts.contact.deleted.v1' });
    const { restorable_until, ...published } = deleted?.envelope.data ?? {};
    assert.deepEqual([published, typeof restorable_until], [{ contact_id: data.id, revision: 2 }, 'string']);
  });

  await t.test('returns the first response to a retry of the same deletion', async () => {
    const account = testClient(app);
    const { data } = await account.post('/v2/contacts', { email: 'bo@example.com' });
    const retry = { 'idempotency-key': 'd1' };
    assert.equal((await account.delete(`/v2/contacts/${data.id}`, retry)).status, 200);
    const again = await account.delete(`/v2/contacts/${data.id}`, retry);
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true']);
  });
});
