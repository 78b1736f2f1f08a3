import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactMerged } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact, readContact } from '../../test/contacts.ts';
import { ada, adele, merge, undo } from '../../test/merges.ts';
import { buildApp } from '../app.ts';

test('merging', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const published = async (account: Client) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).map(({ subject }) => subject);

  const pairOf = async (client: Client) => {
    const [one, two] = [
      await createContact(client, { email: 'one@example.com' }),
      await createContact(client, { email: 'two@example.com' }),
    ];
    return { id: one.id, sourceId: two.id };
  };
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `/v2/contacts/${(await pairOf(client)).id}/merges`,
  });
  let source = '';
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:write',
    url: async (client) => {
      const { id, sourceId } = await pairOf(client);
      source = sourceId;
      return `/v2/contacts/${id}/merge`;
    },
    body: {
      get source_id() {
        return source;
      },
    },
  });

  await t.test('the surviving contact keeps its values and takes missing ones; the id of the other refers to it', async () => {
    const account = testClient(app);
    const [one, two] = [await createContact(account, ada), await createContact(account, adele)];
    const response = await merge(account, one.id, two.id);
    assert.deepEqual([response.status, response.headers.etag], [200, '"2"']);
    const { contact } = response.data;
    assert.deepEqual(
      [contact.id, contact.email, contact.phone, contact.external_id, contact.first_name, contact.last_name, contact.address.city],
      [one.id, 'ada@example.com', '+4930901820', 'crm-2', 'Ada', 'L', 'Berlin'],
    );
    assert.deepEqual([contact.tags, contact.attributes], [['a', 'both', 'b'], { plan: 'pro', seats: 1, langs: ['en'] }]);
    assert.deepEqual(
      [contact.consent.email.status, contact.consent.sms.status, contact.status],
      ['unsubscribed', 'subscribed', 'unsubscribed'],
    );
    assert.deepEqual(await readContact(account, two.id), contact);
    assert.equal((await account.get('/v2/contacts?email=adele@example.com')).data.items.length, 0);
    assert.equal((await account.put(`/v2/contacts/${two.id}`, { company: 'Acme' })).data.id, one.id);
    const events = (await published(account)).slice(2);
    assert.deepEqual(events.slice(0, 2), ['contacts.contact.deleted.v1', 'contacts.contact.updated.v1']);
    assert.ok(events.includes(ContactMerged.subject));
    const { data } = await account.get(`/v2/contacts/${two.id}/merges`);
    assert.deepEqual([data.items.length, data.items[0].source, data.items[0].contact], [1, two, one]);
  });

  await t.test('the later of two unsubscriptions counts, and consent given between them does not resubscribe', async () => {
    const account = testClient(app);
    const [january, march] = ['2026-01-10T00:00:00.000Z', '2026-03-10T00:00:00.000Z'];
    const out = (at: string) => ({ email: { status: 'unsubscribed', at } });
    for (const [index, [own, other]] of [
      [january, march],
      [march, january],
    ].entries()) {
      const person = (name: string, at = '') =>
        createContact(account, { email: `${name}${index}@left.example`, consent: { ...out(at), topics: { news: out(at) } } });
      const [one, two] = [await person('one', own), await person('two', other)];
      const { contact } = (await merge(account, one.id, two.id)).data;
      assert.deepEqual([contact.consent.email.at, contact.consent.topics.news.email.at], [march, march]);
      const february = { email: { status: 'subscribed', at: '2026-02-10T00:00:00Z' } };
      assert.equal((await account.put(`/v2/contacts/${one.id}/consent`, february)).data.status, 'unsubscribed');
    }
  });

  await t.test('a contact that was read can be sent back unchanged after an unsubscription and after a merge', async () => {
    const account = testClient(app);
    const [one, two] = [await createContact(account, ada), await createContact(account, adele)];
    await account.put(`/v2/contacts/${one.id}/consent`, { email: { status: 'unsubscribed' } });
    assert.equal((await account.put(`/v2/contacts/${one.id}`, one)).status, 200, 'a status from an older revision is ignored');
    const topic = (sms: object | null) => ({ topics: { news: { email: { status: 'subscribed' }, sms } } });
    const { data: early } = await account.put(`/v2/contacts/${one.id}`, { consent: topic(null) });
    const left = { sms: { status: 'unsubscribed' }, ...topic({ status: 'unsubscribed' }) };
    const { data: later } = await account.put(`/v2/contacts/${one.id}/consent`, left);
    assert.equal((await account.put(`/v2/contacts/${one.id}`, early)).status, 200);
    assert.deepEqual(
      (await account.get(`/v2/contacts/${one.id}/consent`)).data,
      later,
      'a null from before the unsubscription does not clear it',
    );
    await merge(account, two.id, one.id);
    assert.equal((await account.put(`/v2/contacts/${two.id}`, two)).status, 200);
    const now = await readContact(account, two.id);
    const back = await account.put(`/v2/contacts/${two.id}`, now);
    assert.deepEqual([back.status, back.data], [200, now]);
    const { revision, ...unread } = now;
    for (const body of [
      { ...now, status: 'active' },
      { ...unread, status: 'active' },
    ])
      assert.equal((await account.put(`/v2/contacts/${two.id}`, body)).error.details[0].path, '/status');
  });

  await t.test('handles cycles, chains, unknown contacts and those of other accounts', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await createContact(account, { email: 'a@example.com' }),
      await createContact(account, { email: 'b@example.com' }),
      await createContact(account, { email: 'c@example.com' }),
    ];
    assert.deepEqual((await merge(account, a.id, a.id)).error.details[0].code, 'same_contact');
    const first = (await merge(account, b.id, c.id)).data.merge_id;
    const again = await merge(account, a.id, c.id);
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
    assert.match(again.error.message, new RegExp(b.id));
    const second = (await merge(account, a.id, b.id)).data.merge_id;
    assert.equal((await merge(account, b.id, a.id)).status, 409, 'a circle');
    assert.equal((await readContact(account, c.id)).id, a.id);
    assert.equal((await undo(account, b.id, first)).status, 409, 'the surviving contact was itself merged into another');
    assert.equal((await undo(account, a.id, second)).status, 200);
    assert.deepEqual([(await readContact(account, c.id)).id, (await readContact(account, a.id)).id], [b.id, a.id]);
    assert.equal((await undo(account, b.id, first)).status, 200);
    assert.equal((await readContact(account, c.id)).email, 'c@example.com');

    const stranger = await createContact(testClient(app), { email: 'x@example.com' });
    for (const id of [stranger.id, 'contact_nope']) {
      const response = await merge(account, a.id, id);
      assert.deepEqual([response.status, response.error.details[0].code], [400, 'unknown_contact']);
    }
    assert.equal((await merge(account, a.id, b.id, { 'if-match': '"9"' })).status, 412);
    assert.equal((await account.delete(`/v2/contacts/${a.id}`)).status, 200);
  });

  await t.test('rejects a merge with more tags or topics than a contact can have, and changes neither contact', async () => {
    const account = testClient(app);
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const topics = (prefix: string, count: number) =>
      Object.fromEntries(names(prefix, count).map((name) => [name, { email: { status: 'subscribed' } }]));
    for (const [index, [own, other, tooMany]] of [
      [{ tags: names('a', 60) }, { tags: names('b', 41) }, '101 tags'],
      [{ consent: { topics: topics('a', 50) } }, { consent: { topics: topics('b', 50) } }, '100 consent topics'],
    ].entries()) {
      const [one, two] = [
        await createContact(account, { email: `one${index}@example.com`, ...(own as object) }),
        await createContact(account, { email: `two${index}@example.com`, ...(other as object) }),
      ];
      const response = await merge(account, one.id, two.id);
      assert.deepEqual([response.status, response.error.details[0].path, response.error.details[0].code], [400, '/source_id', 'too_big']);
      assert.match(response.error.message, new RegExp(String(tooMany)));
      assert.deepEqual([await readContact(account, one.id), await readContact(account, two.id)], [one, two]);
    }
  });

  await t.test('rejects a merge with more attributes than a contact can have', async () => {
    const account = testClient(app);
    const many = (prefix: string) => Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${prefix}${index}`, 'x'.repeat(1_000)]));
    const [a, b] = [
      await createContact(account, { email: 'a@example.com', attributes: many('a') }),
      await createContact(account, { email: 'b@example.com', attributes: many('b') }),
    ];
    const response = await merge(account, a.id, b.id);
    assert.deepEqual([response.status, response.error.details[0].code], [400, 'too_big']);
    assert.match(response.error.message, /64 KiB/);
  });

  await t.test('one of several concurrent merges of the same contact succeeds', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await createContact(account, { email: 'a@example.com' }),
      await createContact(account, { email: 'b@example.com' }),
      await createContact(account, { email: 'c@example.com' }),
    ];
    const responses = await Promise.all([merge(account, a.id, c.id), merge(account, b.id, c.id), merge(account, c.id, a.id)]);
    const won = responses.filter(({ status }) => status === 200).length;
    assert.ok(won === 1 || won === 2);
    assert.ok(responses.every(({ status }) => [200, 409].includes(status)));
    const left = (await account.get('/v2/contacts')).data.items.length;
    assert.equal(left, 3 - won);
  });
});
