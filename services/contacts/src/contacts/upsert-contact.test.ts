import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('PUT /v2/contacts', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const events = async (accountId: AccountId) => (await writtenEvents(parts.mongo.db, { accountId })).length;
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'contacts:write', url: () => '/v2/contacts', body: { email: 'ada@example.com' } });

  await t.test('creates with 201, updates with 200, and writes nothing if nothing changes', async () => {
    const account = testClient(app);
    const created = await account.put('/v2/contacts', { email: 'ada@example.com', first_name: 'Ada' });
    assert.deepEqual([created.status, created.headers.location], [201, `/v2/contacts/${created.data.id}`]);
    const updated = await account.put('/v2/contacts', { email: 'ADA@example.com', last_name: 'Lovelace' });
    assert.deepEqual(
      [updated.status, updated.data.id, updated.data.first_name, updated.headers.etag],
      [200, created.data.id, 'Ada', '"2"'],
    );
    const same = await account.put('/v2/contacts', { email: 'ADA@example.com', last_name: 'Lovelace' });
    assert.deepEqual([same.status, same.data, await events(account.accountId)], [200, updated.data, 2]);
  });

  await t.test('matches on the external id, and requires the identifier it matches on', async () => {
    const account = testClient(app);
    const created = await account.put('/v2/contacts?match_on=external_id', { external_id: 'crm-1', email: 'a@example.com' });
    const moved = await account.put('/v2/contacts?match_on=external_id', {
      external_id: 'crm-1',
      email: 'A@example.com',
      phone: '+4930901820',
    });
    assert.deepEqual([moved.status, moved.data.id, moved.data.email], [200, created.data.id, 'A@example.com']);
    const none = await account.put('/v2/contacts?match_on=external_id', { email: 'c@example.com' });
    assert.deepEqual([none.status, none.error.details[0].path], [400, '/external_id']);
    const taken = await account.put('/v2/contacts', { email: 'd@example.com', external_id: 'crm-1' });
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, created.data.id]);
  });

  await t.test('keeps one contact when upserts race: one creates it, the others update it; and honours If-Match', async () => {
    const account = testClient(app).patient();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        account.put(
          '/v2/contacts',
          { email: 'race@example.com', attributes: { [`k${index}`]: index } },
          { 'idempotency-key': `r${index}` },
        ),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
    const ids = new Set(responses.map(({ data }) => data.id));
    assert.equal(ids.size, 1);
    const { data: whole } = await account.get(`/v2/contacts/${[...ids][0]}`);
    assert.equal(Object.keys(whole.attributes).length, 8, 'no attributes are lost');
    const stale = await account.put('/v2/contacts', { email: 'race@example.com', first_name: 'R' }, { 'if-match': '"1"' });
    const { revision } = (await account.get(`/v2/contacts/${[...ids][0]}`)).data;
    assert.equal(stale.status, revision === 1 ? 200 : 412);
  });

  await t.test('creates no contact when a version of one is required', async () => {
    const account = testClient(app);
    for (const tag of ['"1"', '*']) {
      const { status, error } = await account.put('/v2/contacts', { email: 'none@example.com' }, { 'if-match': tag });
      assert.deepEqual([status, error.code], [412, 'PRECONDITION_FAILED'], tag);
    }
    assert.equal((await account.get('/v2/contacts')).data.items.length, 0);
  });
});
