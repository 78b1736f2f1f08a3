import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const city = (value: string) => ({ field: 'address.city', op: 'eq', value });

test('PUT /v2/segments/:id', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const create = async (client: ReturnType<typeof testClient>, body: object) => (await client.post('/v2/segments', body)).data;
  const outbox = (accountId: AccountId) => writtenEvents(parts.mongo.db, { accountId });
  await guaranteeRoute(t, app, {
    method: 'PUT',
    scope: 'segments:write',
    url: async (client) => `/v2/segments/${(await create(client, { name: 'One', definition: city('Berlin') })).id}`,
    body: { description: 'changed' },
  });

  await t.test('a new name does not create a version, and a GET response can be sent back', async () => {
    const account = testClient(app);
    const { id } = await create(account, { name: 'One', definition: city('Berlin') });
    await backfillAll(built);
    const renamed = await account.put(`/v2/segments/${id}`, { name: 'Two', description: 'd' });
    assert.deepEqual([renamed.status, renamed.data.name, renamed.data.version, renamed.data.revision], [200, 'Two', 1, 2]);
    assert.deepEqual([renamed.data.status, renamed.headers.etag], ['ready', '"2"']);
    const read = (await account.get(`/v2/segments/${id}`)).data;
    assert.deepEqual((await account.put(`/v2/segments/${id}`, read)).data, read);
    assert.equal((await account.put(`/v2/segments/${id}`, { ...read, description: null })).data.description, null);
    const forged = await account.put(`/v2/segments/${id}`, { ...read, version: 9 });
    assert.deepEqual([forged.status, forged.error.details[0].path], [400, '/version']);
    const stale = await account.put(`/v2/segments/${id}`, { name: 'Three' }, { 'if-match': '"1"' });
    assert.equal(stale.status, 412);
    await create(account, { name: 'Taken', definition: city('Berlin') });
    assert.equal((await account.put(`/v2/segments/${id}`, { name: 'taken' })).status, 409);
  });

  await t.test('sending the same definition rebuilds a failed version', async () => {
    const account = testClient(app);
    const definition = city('Berlin');
    const { id } = await create(account, { name: 'Failed', definition });
    await built.segments.markFailed(account.accountId, id, 1);
    const refused = await account.get(`/v2/segments/${id}/contacts?consistent=true`);
    assert.deepEqual([refused.status, refused.error.code, refused.error.details[0].code], [409, 'INVALID_STATE', 'failed_segment']);
    const naming = await create(account, { name: 'Naming', definition: { segment: id } });
    assert.equal(
      (await account.get(`/v2/segments/${naming.id}/contacts?consistent=true`)).status,
      409,
      'nor the members of a segment that uses it',
    );
    assert.equal((await account.put(`/v2/segments/${id}`, { description: 'kept' })).data.status, 'failed');
    const again = (await account.put(`/v2/segments/${id}`, { definition })).data;
    assert.deepEqual([again.status, again.version], ['building', 2]);
    await backfillAll(built);
    assert.equal((await account.get(`/v2/segments/${id}`)).data.status, 'ready');
  });

  await t.test('a new definition publishes only the changes, and readers get the old one until it is ready', async () => {
    const account = testClient(app);
    const [berlin, both, bonn] = [livingIn('Berlin'), { ...livingIn('Berlin'), tags: ['vip'] }, { ...livingIn('Bonn'), tags: ['vip'] }].map(
      contactWith,
    );
    assert.ok(berlin && both && bonn);
    await applyAll(parts, built, account.accountId, [berlin, both, bonn]);
    const { id } = await create(account, { name: 'Moving', definition: city('Berlin') });
    await backfillAll(built);
    const members = async () => {
      const { data } = await account.get(`/v2/segments/${id}/contacts`);
      return data.items.map((item: { id: string }) => item.id).sort();
    };
    assert.deepEqual(await members(), [berlin.id, both.id].sort());

    const changed = await account.put(`/v2/segments/${id}`, { definition: { field: 'tags', op: 'contains', value: 'vip' } });
    assert.deepEqual([changed.data.version, changed.data.status], [2, 'building']);
    const late = contactWith({ tags: ['vip'] });
    await applyAll(parts, built, account.accountId, [late]);
    assert.deepEqual(await members(), [berlin.id, both.id].sort(), 'the previous version, unchanged');
    await backfillAll(built);
    assert.deepEqual(await members(), [both.id, bonn.id, late.id].sort());
    assert.equal((await account.get(`/v2/segments/${id}`)).data.count, 3);

    const events = (await outbox(account.accountId)).map(({ subject, envelope: { data } }) => [
      data.contact_id,
      subject.split('.')[2],
      data.cause,
      data.sequence,
    ]);
    const expected = [
      [berlin.id, 'entered', 'definition', 1],
      [both.id, 'entered', 'definition', 1],
      [late.id, 'entered', 'contact', 1],
      [berlin.id, 'left', 'definition', 2],
      [bonn.id, 'entered', 'definition', 1],
    ];
    assert.deepEqual(events.map(String).sort(), expected.map(String).sort());
  });

  await t.test('with start_workflows=false, what a new definition changes is marked to start no workflows', async () => {
    const account = testClient(app);
    const [berlin, bonn] = [livingIn('Berlin'), livingIn('Bonn')].map(contactWith);
    assert.ok(berlin && bonn);
    await applyAll(parts, built, account.accountId, [berlin, bonn]);
    const { id } = await create(account, { name: 'Quiet', definition: city('Berlin') });
    await backfillAll(built);
    const changed = await account.put(`/v2/segments/${id}?start_workflows=false`, { definition: city('Bonn') });
    assert.equal(changed.status, 200, changed.text);
    await backfillAll(built);
    await account.put(`/v2/segments/${id}`, { definition: city('Berlin') });
    await backfillAll(built);
    const marks = (await outbox(account.accountId)).map(({ subject, envelope: { starts_workflows, data } }) =>
      [data.contact_id, subject.split('.')[2], starts_workflows].join(' '),
    );
    assert.deepEqual(
      marks.toSorted(),
      [
        ...[`${berlin.id} entered `, `${berlin.id} left false`, `${bonn.id} entered false`],
        ...[`${bonn.id} left `, `${berlin.id} entered `],
      ].toSorted(),
    );
  });

  await t.test('rejects a cycle and names it', async () => {
    const account = testClient(app);
    const a = await create(account, { name: 'A', definition: city('Berlin') });
    const b = await create(account, { name: 'B', definition: { any: [{ segment: a.id }, city('Bonn')] } });
    const c = await create(account, { name: 'C', definition: { not: { segment: b.id } } });
    const cycle = await account.put(`/v2/segments/${a.id}`, { definition: { all: [city('Berlin'), { segment: c.id, op: 'not_in' }] } });
    assert.deepEqual([cycle.status, cycle.error.details[0].path], [400, '/definition/all/1/segment']);
    assert.match(cycle.error.message, /A → C → B → A/);
    const self = await account.put(`/v2/segments/${a.id}`, { definition: { segment: a.id } });
    assert.match(self.error.message, /A → A/);
  });

  await t.test('rejects one of two concurrent changes that together would make a cycle', async () => {
    const account = testClient(app);
    const a = await create(account, { name: 'A', definition: city('Berlin') });
    const b = await create(account, { name: 'B', definition: city('Bonn') });
    const responses = await Promise.all([
      account.put(`/v2/segments/${a.id}`, { definition: { segment: b.id } }),
      account.put(`/v2/segments/${b.id}`, { definition: { segment: a.id } }),
    ]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
  });
});

test('DELETE /v2/segments/:id', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  await guaranteeRoute(t, app, {
    method: 'DELETE',
    scope: 'segments:write',
    url: async (client) => `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition: city('Berlin') })).data.id}`,
  });
  const account = testClient(app);

  await t.test('removes every member, publishes that once, and frees the name', async () => {
    const contacts = Array.from({ length: 5 }, () => contactWith(livingIn('Berlin')));
    await applyAll(parts, built, account.accountId, contacts);
    const { data } = await account.post('/v2/segments', { name: 'Berlin', definition: city('Berlin') });
    await backfillAll(built);
    const gone = await account.delete(`/v2/segments/${data.id}`);
    assert.deepEqual([gone.status, gone.data], [200, { id: data.id, deleted: true }]);
    assert.equal((await account.delete(`/v2/segments/${data.id}`)).status, 404);
    assert.equal((await account.get(`/v2/segments/${data.id}/contacts`)).status, 404);
    assert.equal((await account.post('/v2/segments', { name: 'Berlin', definition: city('Bonn') })).status, 201);
    await backfillAll(built);
    const left = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: 'segments.membership.left.v1' });
    assert.deepEqual(left.map(({ envelope }) => envelope.data.contact_id).sort(), contacts.map(({ id }) => id).sort());
    assert.ok(left.every(({ envelope }) => envelope.data.cause === 'deletion' && envelope.data.sequence === 2));
  });

  await t.test('is rejected while another segment uses it', async () => {
    const { data } = await account.post('/v2/segments', { name: 'Named', definition: city('Berlin') });
    const user = await account.post('/v2/segments', { name: 'User', definition: { segment: data.id } });
    const refused = await account.delete(`/v2/segments/${data.id}`);
    assert.deepEqual([refused.status, refused.error.code, refused.error.details[0].segment_id], [409, 'INVALID_STATE', user.data.id]);
    await account.delete(`/v2/segments/${user.data.id}`);
    assert.equal((await account.delete(`/v2/segments/${data.id}`)).status, 200);
  });
});
