import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactUnmerged } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { createContact, readContact } from '../../test/contacts.ts';
import { ada, adele, merge, undo } from '../../test/merges.ts';
import { buildApp } from '../app.ts';

test('undoing a merge', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const published = async (account: Client) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).map(({ subject }) => subject);

  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'contacts:write',
    url: async (client) => {
      const one = await createContact(client, { email: 'one@example.com' });
      const two = await createContact(client, { email: 'two@example.com' });
      const { data } = await merge(client, one.id, two.id);
      return `/v2/contacts/${one.id}/merges/${data.merge_id}/undo`;
    },
  });

  await t.test('restores both contacts, keeps changes made since, and applies an unsubscription to both', async () => {
    const account = testClient(app);
    const [one, two] = [
      await createContact(account, { ...ada, consent: { sms: { status: 'subscribed' } } }),
      await createContact(account, adele),
    ];
    const { data } = await merge(account, one.id, two.id);
    await account.put(`/v2/contacts/${one.id}`, { company: 'New', attributes: { plan: 'max' }, tags: ['a', 'both', 'b', 'since'] });
    await account.put(`/v2/contacts/${one.id}/consent`, { sms: { status: 'unsubscribed' } });
    const response = await undo(account, one.id, data.merge_id);
    assert.equal(response.status, 200, response.text);
    const { contact, source } = response.data;
    assert.deepEqual(
      [contact.phone, contact.external_id, contact.last_name, contact.address, contact.company, contact.consent.email.status],
      [null, null, null, null, 'New', 'subscribed'],
    );
    assert.deepEqual([contact.tags, contact.attributes], [['a', 'both', 'since'], { plan: 'max', seats: 1 }]);
    assert.deepEqual([contact.consent.sms.status, source.consent.sms.status], ['unsubscribed', 'unsubscribed']);
    const { revision, updated_at, consent, ...same } = source;
    const { revision: _, updated_at: __, consent: ___, ...original } = two;
    assert.deepEqual(same, original);
    assert.equal(revision, two.revision + 2);
    assert.deepEqual([await readContact(account, one.id), await readContact(account, two.id)], [contact, source]);
    assert.ok((await published(account)).includes(ContactUnmerged.subject));
    const again = await undo(account, one.id, data.merge_id);
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
    assert.equal((await merge(account, two.id, one.id)).status, 200, 'they can be merged again in the other direction');
  });

  await t.test('applies an unsubscription since the merge to both, even if one of them had unsubscribed before, and logs it', async () => {
    const account = testClient(app);
    const out = (at?: string) => ({ status: 'unsubscribed', ...(at && { at }) });
    const log = async (id: string) =>
      (await account.get(`/v2/contacts/${id}/consent/log`)).data.items.map(
        ({ topic, before, after }: { topic: string | null; before: { status: string } | null; after: { status: string } | null }) =>
          [topic, before?.status, after?.status].join(' '),
      );
    for (const at of [undefined, new Date(Date.now() + 1_000).toISOString()]) {
      const name = at ? 'dated' : 'bare';
      const one = await createContact(account, { email: `one@${name}.example` });
      const two = await createContact(account, {
        email: `two@${name}.example`,
        consent: { email: out(), topics: { news: { email: out() } } },
      });
      const { data } = await merge(account, one.id, two.id);
      assert.equal(data.contact.consent.email.status, 'unsubscribed', 'one of them had unsubscribed');
      const said = { email: out(at), topics: { news: { email: out(at) }, offers: { sms: out(at) } } };
      assert.equal((await account.put(`/v2/contacts/${two.id}/consent`, said)).headers.etag, '"3"');
      assert.equal((await undo(account, one.id, data.merge_id)).status, 200);
      for (const id of [one.id, two.id]) {
        const { consent, status } = await readContact(account, id);
        assert.deepEqual(
          [status, consent.email.status, consent.topics.news.email.status, consent.topics.offers.sms.status],
          ['unsubscribed', 'unsubscribed', 'unsubscribed', 'unsubscribed'],
        );
      }
      assert.ok((await log(two.id)).includes('offers  unsubscribed'), 'a withdrawal it keeps is in its log');
    }
  });

  await t.test('applies a late unsubscription to the contact that is not unsubscribed', async () => {
    const account = testClient(app);
    const out = (at: string) => ({ status: 'unsubscribed', at });
    const march = { email: out('2026-03-10T00:00:00.000Z'), topics: { news: { sms: out('2026-03-10T00:00:00.000Z') } } };
    const february = { email: out('2026-02-10T00:00:00.000Z'), topics: { news: { sms: out('2026-02-10T00:00:00.000Z') } } };
    for (const [index, [ownConsent, otherConsent]] of [
      [march, {}],
      [{}, march],
    ].entries()) {
      const one = await createContact(account, { email: `one${index}@late.example`, consent: ownConsent });
      const two = await createContact(account, { email: `two${index}@late.example`, consent: otherConsent });
      const { data } = await merge(account, one.id, two.id);
      assert.equal((await account.put(`/v2/contacts/${one.id}/consent`, february)).headers.etag, '"2"', 'the consent is only logged');
      assert.equal((await undo(account, one.id, data.merge_id)).status, 200);
      const people = [await readContact(account, one.id), await readContact(account, two.id)];
      assert.deepEqual(
        people.map(({ status, consent }) => [status, consent.topics.news.sms.status]),
        [1, 2].map(() => ['unsubscribed', 'unsubscribed']),
      );
      const late = people[index === 0 ? 1 : 0];
      assert.deepEqual([late.consent.email.at, late.consent.topics.news.sms.at], [february.email.at, february.email.at]);
    }
  });

  await t.test('applies a row that repeats an unsubscription to both, and writes it once', async () => {
    const account = testClient(app);
    const out = { status: 'unsubscribed' };
    const one = await createContact(account, { email: 'one@rows.example', consent: { email: out, topics: { news: { email: out } } } });
    const two = await createContact(account, { email: 'two@rows.example' });
    const { data } = await merge(account, one.id, two.id);
    const row = { email: 'one@rows.example', consent: { email: out, topics: { news: { email: out } } } };
    const said = async () =>
      (await account.post('/v2/contacts/batch', { contacts: [row, row] })).data.results.map((one: { status: string }) => one.status);
    assert.deepEqual(
      [await said(), await said()],
      [
        ['updated', 'unchanged'],
        ['unchanged', 'unchanged'],
      ],
    );
    assert.equal((await account.put(`/v2/contacts/${one.id}`, row)).headers.etag, '"3"');
    assert.equal((await undo(account, one.id, data.merge_id)).status, 200);
    for (const { id } of [one, two]) {
      const { status, consent } = await readContact(account, id);
      assert.deepEqual([status, consent.topics.news.email.status], ['unsubscribed', 'unsubscribed']);
    }
  });

  await t.test('undoes merges newest first, and not if another contact now has an identifier', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await createContact(account, { email: 'a@example.com' }),
      await createContact(account, { phone: '+4930901820' }),
      await createContact(account, { external_id: 'x' }),
    ];
    const first = (await merge(account, a.id, b.id)).data.merge_id;
    const second = (await merge(account, a.id, c.id)).data.merge_id;
    const early = await undo(account, a.id, first);
    assert.deepEqual([early.status, early.error.message.includes(second)], [409, true]);
    await account.put(`/v2/contacts/${a.id}`, { external_id: null });
    const thief = await createContact(account, { external_id: 'x' });
    const taken = await undo(account, a.id, second);
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, thief.id]);
    assert.equal((await readContact(account, c.id)).id, a.id, 'a failed undo changes nothing');
    assert.equal(taken.error.details[0].path, '/external_id');
    assert.equal((await account.delete(`/v2/contacts/${c.id}`)).status, 409);
    await account.delete(`/v2/contacts/${a.id}`);
    assert.equal((await account.get(`/v2/contacts/${c.id}`)).status, 404);
  });

  await t.test('names the identifier that another contact has, not one that the two contacts shared', async () => {
    const account = testClient(app);
    const [a, b] = [
      await createContact(account, { phone: '+4930901820' }),
      await createContact(account, { email: 'b@example.com', external_id: 'x' }),
    ];
    const { data } = await merge(account, a.id, b.id);
    await account.put(`/v2/contacts/${a.id}`, { external_id: null });
    const thief = await createContact(account, { external_id: 'x' });
    const { status, error } = await undo(account, a.id, data.merge_id);
    assert.deepEqual([status, error.details[0].path, error.details[0].existing_id], [409, '/external_id', thief.id]);
    assert.equal((await readContact(account, b.id)).email, 'b@example.com');
  });
});
