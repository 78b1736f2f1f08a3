import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, contactWith, livingIn, origin, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };

test('the contacts of a static segment', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });

  /** The contacts that the contacts service has, but whose events have not arrived. */
  const elsewhere: Contact[] = [];
  await parts.broker.reply(ContactsFind, async ({ ids, emails, external_ids }) => ({
    contacts: elsewhere.filter(
      ({ id, email, external_id }) => ids.includes(id) || emails.includes(email ?? '') || external_ids.includes(external_id ?? ''),
    ),
  }));

  const staticSegment = async (client: Client, body: object = {}): Promise<string> =>
    (await client.post('/v2/segments', { name: newId('segment'), kind: 'static', ...body })).data.id;
  const members = async (client: Client, id: string, asOf?: Date): Promise<string[]> => {
    const query = asOf ? `?as_of=${asOf.toISOString()}` : '';
    return (await client.get(`/v2/segments/${id}/contacts${query}`)).data.items.map((member: { id: string }) => member.id);
  };
  const statuses = (response: { data: { items: { status: string }[] } }) => response.data.items.map(({ status }) => status);
  const body = { contacts: [{ id: 'contact_01h455vb4pex5vsknk084sn02q' }] };
  const url = async (client: Client) => `/v2/segments/${await staticSegment(client)}/contacts`;
  await guaranteeRoute(t, app, { method: 'POST', scope: 'segments:write', url, body });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'segments:write', url, body });

  await t.test('a static segment is ready at once, without a definition', async () => {
    const account = testClient(app);
    const { status, data } = await account.post('/v2/segments', { name: 'List', kind: 'static' });
    assert.deepEqual([status, data.kind, data.definition, data.status, data.count], [201, 'static', null, 'ready', 0]);
    const same = await account.put(`/v2/segments/${data.id}`, (await account.get(`/v2/segments/${data.id}`)).data);
    assert.deepEqual([same.status, same.data.version], [200, 1], same.text);
    for (const [wrong, path] of [
      [{ name: 'X', kind: 'static', definition: berlin }, '/definition'],
      [{ name: 'X' }, '/definition'],
      [{ name: 'X', definition: berlin, source_segment_id: data.id }, '/source_segment_id'],
      [{ name: 'X', kind: 'static', source_as_of: '2026-01-01T00:00:00Z' }, '/source_as_of'],
      [{ name: 'X', kind: 'static', source_segment_id: 'segment_01h455vb4pex5vsknk084sn02q' }, '/source_segment_id'],
    ] as const) {
      const response = await account.post('/v2/segments', wrong);
      assert.deepEqual([response.status, response.error.details[0].path], [400, path], response.text);
    }
    assert.equal((await account.put(`/v2/segments/${data.id}`, { definition: berlin })).error.details[0].path, '/definition');
  });

  await t.test('adds and removes contacts by id, email and external id, with a result for each', async () => {
    const account = testClient(app);
    const known = contactWith();
    const fresh = contactWith({ email: 'grace@example.com', external_id: 'crm-1' });
    elsewhere.push(fresh);
    await applyAll(parts, built, account.accountId, [known]);
    const id = await staticSegment(account);
    const contacts = [{ id: known.id }, { email: 'Grace@Example.com' }, { external_id: 'crm-1' }, { email: 'nobody@example.com' }];
    const added = await account.post(`/v2/segments/${id}/contacts`, { contacts });
    assert.deepEqual(statuses(added), ['added', 'added', 'already_member', 'not_found']);
    assert.deepEqual([added.data.changed, added.data.items[1].contact_id, added.data.items[3].contact_id], [2, fresh.id, null]);
    assert.deepEqual(await members(account, id), [known.id, fresh.id].sort());
    const removed = await account.call('DELETE', `/v2/segments/${id}/contacts`, { contacts: contacts.slice(1) });
    assert.deepEqual(statuses(removed), ['removed', 'not_member', 'not_found']);
    assert.deepEqual(await members(account, id), [known.id]);
    const events = (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).map(({ envelope }) => envelope);
    assert.deepEqual(
      events.map(({ type, data }) => [type.split('.').at(-1), data.cause]),
      [
        ['entered', 'manual'],
        ['entered', 'manual'],
        ['left', 'manual'],
      ],
    );
  });

  await t.test('replays the response of a repeated request, and applies it once', async () => {
    const account = testClient(app);
    const contact = contactWith();
    await applyAll(parts, built, account.accountId, [contact]);
    const id = await staticSegment(account);
    const add = () => account.post(`/v2/segments/${id}/contacts`, { contacts: [{ id: contact.id }] }, { 'idempotency-key': 'once' });
    const responses = await Promise.all([add(), add()]);
    for (const response of responses) assert.deepEqual(statuses(response), ['added'], response.text);
  });

  await t.test('is rejected for a dynamic segment, and for more than 1,000 contacts', async () => {
    const account = testClient(app);
    const { data: dynamic } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    const refused = await account.post(`/v2/segments/${dynamic.id}/contacts`, body);
    assert.deepEqual([refused.status, refused.error.code], [409, 'INVALID_STATE']);
    const many = { contacts: Array.from({ length: 1_001 }, () => ({ email: 'a@example.com' })) };
    assert.equal((await account.post(await url(account), many)).status, 400);
    assert.equal((await account.post(await url(account), { contacts: [{ id: 'a', email: 'b@example.com' }] })).status, 400);
  });

  await t.test('a rule that uses a static segment follows it, and explain names who added the contact', async () => {
    const account = testClient(app);
    const [one, two] = [contactWith(livingIn('Berlin')), contactWith(livingIn('Bonn'))];
    await applyAll(parts, built, account.accountId, [one, two]);
    const id = await staticSegment(account);
    const { data: rest } = await account.post('/v2/segments', { name: 'Rest', definition: { segment: id, op: 'not_in' } });
    await untilReady(account, rest.id);
    await account.as({ principal_id: 'key_ada' }).post(`/v2/segments/${id}/contacts`, { contacts: [{ id: one.id }] });
    assert.deepEqual(await members(account, rest.id), [two.id]);
    const { data: why } = await account.get(`/v2/segments/${id}/contacts/${one.id}`);
    assert.deepEqual([why.member, why.entered_cause, why.entered_by, why.left_by], [true, 'manual', 'key_ada', null]);
    assert.deepEqual([why.explanation.matches, why.explanation.saw], [true, 'in']);
    await account.as({ principal_id: 'key_bob' }).call('DELETE', `/v2/segments/${id}/contacts`, { contacts: [{ id: one.id }] });
    const { data: after } = await account.get(`/v2/segments/${id}/contacts/${one.id}`);
    assert.deepEqual([after.member, after.left_cause, after.left_by], [false, 'manual', 'key_bob']);
    assert.deepEqual(await members(account, rest.id), [one.id, two.id].sort());
    assert.deepEqual(await members(account, id, new Date(after.entered_at)), [one.id], 'as of the time it was added');
  });

  await t.test('a deleted contact leaves, and is in the segment again if it returns', async () => {
    const account = testClient(app);
    const contact = contactWith();
    await applyAll(parts, built, account.accountId, [contact]);
    const id = await staticSegment(account);
    await account.post(`/v2/segments/${id}/contacts`, { contacts: [{ id: contact.id }] });
    const remove = (revision: number) =>
      parts.mongo.transaction(
        origin(),
        (tx) => built.contacts.applyDeletion(tx, account.accountId, { contactId: contact.id, revision, canReturn: true }),
        { limitMs: 30_000 },
      );
    await remove(2);
    await remove(3);
    assert.equal((await account.get(`/v2/segments/${id}/contacts?include=total_count`)).data.pagination.total_count, 0);
    await applyAll(parts, built, account.accountId, [{ ...contact, revision: 4 }]);
    assert.deepEqual(await members(account, id), [contact.id]);
  });

  await t.test('a copy has the members of its source as of a moment, and keeps them', async () => {
    const account = testClient(app);
    const contacts = Array.from({ length: 5 }, () => contactWith(livingIn('Berlin')));
    const [moved, gone] = contacts;
    assert.ok(moved && gone);
    await applyAll(parts, built, account.accountId, contacts);
    const { data: source } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    await untilReady(account, source.id);
    const { data: full } = await account.get(`/v2/segments/${source.id}`);
    await applyAll(parts, built, account.accountId, [{ ...moved, ...livingIn('Bonn'), revision: 2 }]);
    await parts.mongo.transaction(
      origin(),
      (tx) => built.contacts.applyDeletion(tx, account.accountId, { contactId: gone.id, revision: 2 }),
      { limitMs: 30_000 },
    );
    const now = await staticSegment(account, { source_segment_id: source.id });
    const then = await staticSegment(account, { source_segment_id: source.id, source_as_of: full.evaluated_at });
    await untilReady(account, now);
    await untilReady(account, then);
    const ids = (skipped: readonly Contact[]) => contacts.filter((one) => !skipped.includes(one)).map(({ id }) => id);
    assert.deepEqual(await members(account, now), ids([moved, gone]).sort());
    assert.deepEqual(await members(account, then), ids([gone]).sort(), 'a contact that no longer exists is left out');
    await account.delete(`/v2/segments/${source.id}`);
    const { data: copy } = await account.get(`/v2/segments/${now}`);
    assert.deepEqual([copy.kind, copy.count, copy.definition], ['static', 3, null]);
    const future = { name: 'X', kind: 'static', source_segment_id: now, source_as_of: '2999-01-01T00:00:00Z' };
    assert.equal((await account.post('/v2/segments', future)).error.details[0].path, '/source_as_of');
  });

  await t.test('an addition that names an import does so in every event, even of contacts whose events have not arrived', async () => {
    const account = testClient(app);
    const { accountId: account_id } = account;
    const segment_id = await staticSegment(account);
    const { data: dynamic } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    await untilReady(account, dynamic.id);
    const [known, fresh] = [contactWith(), contactWith({ email: 'fresh@example.com', ...livingIn('Berlin') })];
    await applyAll(parts, built, account_id, [known]);
    elsewhere.push(fresh);
    const correlation_id = newId('import');
    const adding = { account_id, segment_id, contact_ids: [known.id, fresh.id], by: correlation_id, correlation_id };
    assert.equal((await parts.broker.request(SegmentMembersAdd, adding)).refused, null);
    const entered = await writtenEvents(parts.mongo.db, { accountId: account_id, subject: MembershipEntered.subject });
    assert.deepEqual(
      entered.map(({ envelope }) => envelope.correlation_id),
      Array(3).fill(correlation_id),
    );
  });
});
