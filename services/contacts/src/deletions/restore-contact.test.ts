import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageBounced, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import { newId } from '@mp/ids';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { expiresIn } from '@mp/test-kit/expires-in';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact, readContact } from '../../test/contacts.ts';
import { ada, adele, merge, undo } from '../../test/merges.ts';
import { publishEvent } from '../../test/publish-event.ts';
import { buildApp } from '../app.ts';
import { createStores } from '../stores.ts';
import { createDeletions } from './delete.ts';

test('POST /v2/contacts/:id/restore', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { db } = parts.mongo;
  const { app } = await testService(t, parts, buildApp, { live: true });
  const restore = (account: Client, id: string) => account.post(`/v2/contacts/${id}/restore`);
  const deletedOf = async ({ accountId }: Client) =>
    (await writtenEvents(db, { accountId, subject: 'contacts.contact.deleted.v1' })).map(({ envelope }) => envelope.data);

  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:write',
    url: async (client) => {
      const { id } = await createContact(client, { email: 'gone@example.com' });
      await client.delete(`/v2/contacts/${id}`);
      return `/v2/contacts/${id}/restore`;
    },
  });

  await t.test('brings back everything under the same id, with a higher revision, and publishes it as created', async () => {
    const account = testClient(app);
    const [one, two] = [await createContact(account, ada), await createContact(account, adele)];
    const { data: merged } = await merge(account, one.id, two.id);
    await account.delete(`/v2/contacts/${one.id}`);
    for (const id of [one.id, two.id]) assert.equal((await account.get(`/v2/contacts/${id}`)).status, 404);
    for (const query of ['q=ada', `id[in]=${one.id}`, 'email=ada@example.com', 'tag=a', 'limit=5'])
      assert.deepEqual((await account.get(`/v2/contacts?${query}`)).data.items, [], query);

    const response = await restore(account, one.id);
    assert.equal(response.status, 200, response.text);
    const { revision, updated_at, ...members } = response.data;
    const { revision: before, updated_at: _, ...original } = merged.contact;
    assert.deepEqual(members, original);
    assert.equal(revision, before + 2);
    assert.equal(response.headers.etag, (await account.get(`/v2/contacts/${two.id}`)).headers.etag, 'the merged id refers to it again');
    const [, , deleted] = [...(await deletedOf(account)), undefined].toReversed();
    assert.equal(deleted?.merged_into, one.id);
    const created = (await writtenEvents(db, { accountId: account.accountId, subject: 'contacts.contact.created.v1' })).at(-1);
    assert.deepEqual(created?.envelope.data.contact, response.data);
    assert.ok((await account.get(`/v2/contacts/${one.id}/timeline`)).data.items.some(({ kind }: { kind: string }) => kind === 'merge'));
    assert.equal((await undo(account, one.id, merged.merge_id)).status, 200, 'its merge can still be undone');
    assert.equal((await restore(account, one.id)).error.code, 'INVALID_STATE');
  });

  await t.test('names every identifier that another contact has now, and changes nothing', async () => {
    const account = testClient(app);
    const { id } = await createContact(account, { email: 'a@example.com', phone: '+4930901820', external_id: 'x' });
    await account.delete(`/v2/contacts/${id}`);
    const mail = await createContact(account, { email: 'A@example.com' });
    const phone = await createContact(account, { phone: '+4930901820' });
    const refused = await restore(account, id);
    assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT']);
    assert.deepEqual(
      refused.error.details.map(({ path, existing_id }: { path: string; existing_id: string }) => [path, existing_id]),
      [
        ['/email', mail.id],
        ['/phone', phone.id],
      ],
    );
    await account.delete(`/v2/contacts/${mail.id}`);
    await account.delete(`/v2/contacts/${phone.id}`);
    assert.equal((await restore(account, id)).status, 200);
  });

  await t.test('applies an unsubscription and a bounce received since the deletion', async () => {
    const account = testClient(app);
    const [left, bounced] = [
      await createContact(account, { email: 'l@example.com' }),
      await createContact(account, { email: 'b@example.com' }),
    ];
    for (const { id } of [left, bounced]) await account.delete(`/v2/contacts/${id}`);
    const at = new Date().toISOString();
    const message = { recipient_id: newId('recipient'), campaign_id: newId('campaign'), workflow_id: null, at };
    const unsubscribed = { ...message, contact_id: left.id, channel: 'email', evidence: 'one-click' } as const;
    await publishEvent(parts, account.accountId, { event: MessageUnsubscribed, data: unsubscribed });
    await publishEvent(parts, account.accountId, {
      event: MessageBounced,
      data: { ...message, contact_id: bounced.id, hard: true, reason: '550' },
    });
    await eventually(async () => (await account.get('/v2/contacts/suppressions')).data.items.length === 1);
    await eventually(async () => (await db.collection('consent_log').countDocuments({ contact_id: left.id })) === 1);
    assert.deepEqual((await restore(account, left.id)).data.consent.email, { status: 'unsubscribed', method: 'link', at });
    assert.deepEqual(
      [(await readContact(account, left.id)).status, (await restore(account, bounced.id)).data.status],
      ['unsubscribed', 'bounced'],
    );
  });

  await t.test(
    'is rejected after an erasure, which also works for a deleted contact and ends deletions with the same address',
    async () => {
      const account = testClient(app);
      const erase = (id: string) => account.post(`/v2/contacts/${id}/erase`);
      const first = await createContact(account, { email: 'same@example.com' });
      await account.delete(`/v2/contacts/${first.id}`);
      const second = await createContact(account, { email: 'same@example.com' });
      const other = await createContact(account, { email: 'other@example.com' });
      await account.delete(`/v2/contacts/${other.id}`);
      assert.deepEqual([(await erase(second.id)).status, (await erase(other.id)).status], [202, 202]);
      for (const { id } of [first, second, other])
        assert.deepEqual([(await restore(account, id)).status, (await erase(id)).status], [404, 404]);
      assert.equal(await db.collection('deleted_contacts').countDocuments({ account_id: account.accountId }), 0);
      assert.deepEqual(
        (await deletedOf(account)).filter(({ contact_id }) => contact_id === other.id).map(({ revision, erased }) => [revision, erased]),
        [
          [2, undefined],
          [3, true],
        ],
      );
    },
  );

  await t.test('is rejected after 30 days, when the rest of the contact is removed and its deletion published as final', async () => {
    const account = testClient(app);
    const { id } = await createContact(account, ada);
    await account.delete(`/v2/contacts/${id}`);
    const [{ restorable_until }] = (await deletedOf(account)) as [{ restorable_until: string }];
    assert.ok(expiresIn(restorable_until, 30 * 24 * 3_600_000));
    await db.collection('deleted_contacts').updateOne({ _id: id as never }, { $set: { restorable_until: new Date() } });
    assert.equal((await restore(account, id)).status, 404);
    const stores = createStores(parts);
    assert.deepEqual(await stores.deleted.over(10), [{ accountId: account.accountId, id }]);
    const { outbox, mongo } = parts;
    const deletions = createDeletions({ ...stores, outbox, removeContact: () => Promise.reject(new Error('removed before')) });
    for (let twice = 0; twice < 2; twice += 1)
      await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => deletions.finish(tx, account.accountId, id));
    assert.deepEqual((await deletedOf(account)).slice(1), [{ contact_id: id, revision: 3 }]);
    await eventually(async () => (await db.collection('timeline').countDocuments({ contact_id: id })) === 0);
  });

  await t.test('of several concurrent requests, one restores the contact', async () => {
    const account = testClient(app);
    const { id } = await createContact(account, ada);
    await account.delete(`/v2/contacts/${id}`);
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => restore(account, id)))).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 409, 409, 409]);
    assert.equal((await readContact(account, id)).revision, 3);
  });
});
