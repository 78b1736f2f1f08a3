import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentsExist } from '@mp/contracts/requests/segments';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, contactWith, livingIn, origin, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };

test('POST /v2/segments/:id/archive and /restore', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  async function segment(client: Client, body: object = { definition: berlin }): Promise<string> {
    const { data } = await client.post('/v2/segments', { name: `Segment ${Math.random()}`, ...body });
    await untilReady(client, data.id);
    return data.id;
  }
  for (const verb of ['archive', 'restore']) {
    const url = async (client: Client) => `/v2/segments/${await segment(client)}/${verb}`;
    await guaranteeRoute(t, app, { method: 'POST', scope: 'segments:write', url, body: {} });
  }

  await t.test('hides the segment, and keeps its members while contacts change', async () => {
    const account = testClient(app);
    const [one, two, three] = [contactWith(livingIn('Berlin')), contactWith(livingIn('Berlin')), contactWith(livingIn('Bonn'))];
    await applyAll(parts, built, account.accountId, [one, two, three]);
    const id = await segment(account);
    const members = async () => (await account.get(`/v2/segments/${id}/contacts`)).data.items.map((item: { id: string }) => item.id);
    const listed = async (query = '') => (await account.get(`/v2/segments${query}`)).data.items.map((item: { id: string }) => item.id);
    const eventCount = async () => (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).length;

    const archive = () => account.post(`/v2/segments/${id}/archive`, {}, { 'idempotency-key': 'archive' });
    const archived = await archive();
    assert.deepEqual([archived.status, archived.data.revision], [200, 2], archived.text);
    assert.match(archived.data.archived_at, /Z$/);
    assert.deepEqual((await archive()).data, archived.data, 'a retry gets the same response');
    assert.equal((await account.post(`/v2/segments/${id}/archive`)).data.revision, 2, 'archiving again changes nothing');
    assert.deepEqual([await listed(), await listed('?archived=true')], [[], [id]]);
    const exist = await parts.broker.request(SegmentsExist, { account_id: account.accountId, segment_ids: [id] });
    assert.deepEqual([exist.archived, exist.missing], [[id], []]);

    const before = await eventCount();
    await applyAll(parts, built, account.accountId, [
      { ...one, ...livingIn('Bonn'), revision: 2 },
      { ...three, ...livingIn('Berlin'), revision: 2 },
    ]);
    assert.deepEqual(await members(), [one.id, two.id].sort());
    assert.equal(await eventCount(), before, 'nothing is published');
    await parts.mongo.transaction(
      origin(),
      (tx) => built.contacts.applyDeletion(tx, account.accountId, { contactId: two.id, revision: 2 }),
      { limitMs: 30_000 },
    );
    assert.deepEqual(await members(), [one.id], 'a deleted contact leaves');
    for (const body of [{ name: 'X', definition: { segment: id } }]) {
      assert.equal((await account.post('/v2/segments', body)).error.details[0].code, 'archived_segment');
    }
    const changed = await account.put(`/v2/segments/${id}`, { definition: { not: berlin } });
    assert.deepEqual([changed.status, changed.error?.code], [409, 'INVALID_STATE']);

    const restored = await account.post(`/v2/segments/${id}/restore`);
    assert.deepEqual([restored.data.archived_at, restored.data.status, restored.data.version], [null, 'building', 2], restored.text);
    await untilReady(account, id);
    assert.deepEqual([await members(), await listed()], [[three.id], [id]]);
    const events = (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).slice(-2);
    assert.deepEqual(
      events.map(({ envelope }) => [envelope.data.contact_id, envelope.data.cause]).sort(),
      [
        [one.id, 'definition'],
        [three.id, 'definition'],
      ].sort(),
    );
    const asOf = await account.get(`/v2/segments/${id}/contacts?as_of=${archived.data.archived_at}`);
    assert.deepEqual(
      asOf.data.items.map((item: { id: string }) => item.id),
      [one.id],
      'contacts deleted since are left out',
    );
  });

  await t.test('is rejected while the segment is in use, and names what uses it', async () => {
    const account = testClient(app);
    const id = await segment(account);
    const user = await segment(account, { definition: { segment: id } });
    const { status, error } = await account.post(`/v2/segments/${id}/archive`);
    assert.deepEqual([status, error.code, error.details[0].id], [409, 'INVALID_STATE', user]);
    assert.equal((await account.delete(`/v2/segments/${user}`)).status, 200);
    assert.equal((await account.post(`/v2/segments/${id}/archive`)).status, 200);
  });

  await t.test('keeps the contacts of a static segment, which cannot be changed until it is restored', async () => {
    const account = testClient(app);
    const contact = contactWith();
    await applyAll(parts, built, account.accountId, [contact]);
    const id = await segment(account, { kind: 'static' });
    const body = { contacts: [{ id: contact.id }] };
    assert.equal((await account.post(`/v2/segments/${id}/contacts`, body)).status, 200);
    await account.post(`/v2/segments/${id}/archive`);
    assert.equal((await account.call('DELETE', `/v2/segments/${id}/contacts`, body)).error.code, 'INVALID_STATE');
    assert.equal((await account.post(`/v2/segments/${id}/restore`)).data.status, 'ready');
    assert.equal((await account.call('DELETE', `/v2/segments/${id}/contacts`, body)).data.changed, 1);
  });
});
