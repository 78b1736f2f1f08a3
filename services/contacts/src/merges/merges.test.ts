import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactMerged, ContactUnmerged } from '@mp/contracts/events/contacts';
import { type Client, testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../app.ts';

test('merges', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  const create = async (account: Client, body: object) => (await account.post('/v2/contacts', body)).data;
  const read = async (account: Client, id: string) => (await account.get(`/v2/contacts/${id}`)).data;
  const merge = (account: Client, id: string, sourceId: string, headers = {}) =>
    account.post(`/v2/contacts/${id}/merge`, { source_id: sourceId }, headers);
  const undo = (account: Client, id: string, mergeId: string) => account.post(`/v2/contacts/${id}/merges/${mergeId}/undo`);
  const told = async (account: Client) =>
    (await writtenEvents(parts.mongo.db, { accountId: account.accountId })).map(({ subject, envelope }) => ({
      subject,
      data: envelope.data,
    }));

  const pairs = new Map<string, string>();
  const pairOf = async (client: Client) => {
    const [one, two] = [await create(client, { email: 'one@example.com' }), await create(client, { email: 'two@example.com' })];
    pairs.set(client.accountId, two.id);
    return one.id;
  };
  await t.test('guarantees', async (t) => {
    let source = '';
    const owner = async (client: Client) => {
      const id = await pairOf(client);
      source = pairs.get(client.accountId) ?? '';
      return id;
    };
    await guaranteeRoute(t, app, {
      method: 'GET',
      scope: 'contacts:read',
      url: async (client) => `/v2/contacts/${await owner(client)}/merges`,
    });
    await guaranteeRoute(t, app, {
      method: 'POST',
      scope: 'contacts:write',
      url: async (client) => `/v2/contacts/${await owner(client)}/merge`,
      body: {
        get source_id() {
          return source;
        },
      },
    });
    await guaranteeRoute(t, app, {
      method: 'POST',
      scope: 'contacts:write',
      url: async (client) => {
        const id = await pairOf(client);
        const { data } = await merge(client, id, pairs.get(client.accountId) ?? '');
        return `/v2/contacts/${id}/merges/${data.merge_id}/undo`;
      },
    });
  });

  const ada = { email: 'ada@example.com', first_name: 'Ada', tags: ['a', 'both'], attributes: { plan: 'pro', seats: 1 } };
  const adele = {
    email: 'adele@example.com',
    phone: '+4930901820',
    external_id: 'crm-2',
    first_name: 'Adele',
    last_name: 'L',
    address: { city: 'Berlin' },
    tags: ['both', 'b'],
    attributes: { plan: 'free', langs: ['en'] },
    consent: { email: { status: 'unsubscribed' }, sms: { status: 'subscribed' } },
  };

  await t.test('the one that stays keeps its values and takes what it lacks; the id of the other goes on meaning it', async () => {
    const account = testClient(app);
    const [one, two] = [await create(account, ada), await create(account, adele)];
    const answer = await merge(account, one.id, two.id);
    assert.deepEqual([answer.status, answer.headers.etag], [200, '"2"']);
    const { contact } = answer.data;
    assert.deepEqual(
      [contact.id, contact.email, contact.phone, contact.external_id, contact.first_name, contact.last_name, contact.address.city],
      [one.id, 'ada@example.com', '+4930901820', 'crm-2', 'Ada', 'L', 'Berlin'],
    );
    assert.deepEqual([contact.tags, contact.attributes], [['a', 'both', 'b'], { plan: 'pro', seats: 1, langs: ['en'] }]);
    assert.deepEqual(
      [contact.consent.email.status, contact.consent.sms.status, contact.status],
      ['unsubscribed', 'subscribed', 'unsubscribed'],
    );
    assert.deepEqual(await read(account, two.id), contact);
    assert.equal((await account.get('/v2/contacts?email=adele@example.com')).data.items.length, 0);
    assert.equal((await account.put(`/v2/contacts/${two.id}`, { company: 'Acme' })).data.id, one.id);
    const events = (await told(account)).slice(2).map(({ subject }) => subject);
    assert.deepEqual(events.slice(0, 2), ['contacts.contact.deleted.v1', 'contacts.contact.updated.v1']);
    assert.ok(events.includes(ContactMerged.subject));
    const { data } = await account.get(`/v2/contacts/${two.id}/merges`);
    assert.deepEqual([data.items.length, data.items[0].source, data.items[0].contact], [1, two, one]);
  });

  await t.test('undone, both are as they were; what was changed since stays, and an unsubscription counts for both', async () => {
    const account = testClient(app);
    const [one, two] = [await create(account, { ...ada, consent: { sms: { status: 'subscribed' } } }), await create(account, adele)];
    const { data } = await merge(account, one.id, two.id);
    await account.put(`/v2/contacts/${one.id}`, { company: 'New', attributes: { plan: 'max' }, tags: ['a', 'both', 'b', 'since'] });
    await account.put(`/v2/contacts/${one.id}/consent`, { sms: { status: 'unsubscribed' } });
    const answer = await undo(account, one.id, data.merge_id);
    assert.equal(answer.status, 200, answer.text);
    const { contact, source } = answer.data;
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
    assert.deepEqual([await read(account, one.id), await read(account, two.id)], [contact, source]);
    assert.ok((await told(account)).some(({ subject }) => subject === ContactUnmerged.subject));
    const again = await undo(account, one.id, data.merge_id);
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
    assert.equal((await merge(account, two.id, one.id)).status, 200, 'and they can be merged again, the other way round');
  });

  await t.test(
    'undone, an unsubscription since then counts for both also where one of them had unsubscribed before, and is logged',
    async () => {
      const account = testClient(app);
      const out = (at?: string) => ({ status: 'unsubscribed', ...(at && { at }) });
      const log = async (id: string) =>
        (await account.get(`/v2/contacts/${id}/consent/log`)).data.items.map(
          ({ topic, before, after }: { topic: string | null; before: { status: string } | null; after: { status: string } | null }) =>
            [topic, before?.status, after?.status].join(' '),
        );
      for (const at of [undefined, new Date(Date.now() + 1_000).toISOString()]) {
        const name = at ? 'dated' : 'bare';
        const one = await create(account, { email: `one@${name}.example` });
        const two = await create(account, { email: `two@${name}.example`, consent: { email: out(), topics: { news: { email: out() } } } });
        const { data } = await merge(account, one.id, two.id);
        assert.equal(data.contact.consent.email.status, 'unsubscribed', 'as one of them had');
        const said = { email: out(at), topics: { news: { email: out(at) }, offers: { sms: out(at) } } };
        assert.equal((await account.put(`/v2/contacts/${two.id}/consent`, said)).headers.etag, '"3"');
        assert.equal((await undo(account, one.id, data.merge_id)).status, 200);
        for (const id of [one.id, two.id]) {
          const { consent, status } = await read(account, id);
          assert.deepEqual(
            [status, consent.email.status, consent.topics.news.email.status, consent.topics.offers.sms.status],
            ['unsubscribed', 'unsubscribed', 'unsubscribed', 'unsubscribed'],
          );
        }
        assert.ok((await log(two.id)).includes('offers  unsubscribed'), 'what it brings along is in its log');
      }
    },
  );

  await t.test('undone, an unsubscription that came late counts for whoever is not unsubscribed', async () => {
    const account = testClient(app);
    const out = (at: string) => ({ status: 'unsubscribed', at });
    const march = { email: out('2026-03-10T00:00:00.000Z'), topics: { news: { sms: out('2026-03-10T00:00:00.000Z') } } };
    const february = { email: out('2026-02-10T00:00:00.000Z'), topics: { news: { sms: out('2026-02-10T00:00:00.000Z') } } };
    for (const [index, [ownConsent, otherConsent]] of [
      [march, {}],
      [{}, march],
    ].entries()) {
      const one = await create(account, { email: `one${index}@late.example`, consent: ownConsent });
      const two = await create(account, { email: `two${index}@late.example`, consent: otherConsent });
      const { data } = await merge(account, one.id, two.id);
      assert.equal((await account.put(`/v2/contacts/${one.id}/consent`, february)).headers.etag, '"2"', 'it is only logged');
      assert.equal((await undo(account, one.id, data.merge_id)).status, 200);
      const people = [await read(account, one.id), await read(account, two.id)];
      assert.deepEqual(
        people.map(({ status, consent }) => [status, consent.topics.news.sms.status]),
        [1, 2].map(() => ['unsubscribed', 'unsubscribed']),
      );
      const late = people[index === 0 ? 1 : 0];
      assert.deepEqual([late.consent.email.at, late.consent.topics.news.sms.at], [february.email.at, february.email.at]);
    }
  });

  await t.test('undone, a row that says an unsubscription again counts for both, and is written once', async () => {
    const account = testClient(app);
    const out = { status: 'unsubscribed' };
    const one = await create(account, { email: 'one@rows.example', consent: { email: out, topics: { news: { email: out } } } });
    const two = await create(account, { email: 'two@rows.example' });
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
      const { status, consent } = await read(account, id);
      assert.deepEqual([status, consent.topics.news.email.status], ['unsubscribed', 'unsubscribed']);
    }
  });

  await t.test('of two unsubscriptions the later one counts: what was said between them resubscribes nobody', async () => {
    const account = testClient(app);
    const [january, march] = ['2026-01-10T00:00:00.000Z', '2026-03-10T00:00:00.000Z'];
    const out = (at: string) => ({ email: { status: 'unsubscribed', at } });
    for (const [index, [own, other]] of [
      [january, march],
      [march, january],
    ].entries()) {
      const person = (name: string, at = '') =>
        create(account, { email: `${name}${index}@left.example`, consent: { ...out(at), topics: { news: out(at) } } });
      const [one, two] = [await person('one', own), await person('two', other)];
      const { contact } = (await merge(account, one.id, two.id)).data;
      assert.deepEqual([contact.consent.email.at, contact.consent.topics.news.email.at], [march, march]);
      const february = { email: { status: 'subscribed', at: '2026-02-10T00:00:00Z' } };
      assert.equal((await account.put(`/v2/contacts/${one.id}/consent`, february)).data.status, 'unsubscribed');
    }
  });

  await t.test('what is read can be put back as it is, after an unsubscription and after a merge', async () => {
    const account = testClient(app);
    const [one, two] = [await create(account, ada), await create(account, adele)];
    await account.put(`/v2/contacts/${one.id}/consent`, { email: { status: 'unsubscribed' } });
    assert.equal((await account.put(`/v2/contacts/${one.id}`, one)).status, 200, 'its status is that of an older revision');
    const topic = (sms: object | null) => ({ topics: { news: { email: { status: 'subscribed' }, sms } } });
    const { data: early } = await account.put(`/v2/contacts/${one.id}`, { consent: topic(null) });
    const left = { sms: { status: 'unsubscribed' }, ...topic({ status: 'unsubscribed' }) };
    const { data: later } = await account.put(`/v2/contacts/${one.id}/consent`, left);
    assert.equal((await account.put(`/v2/contacts/${one.id}`, early)).status, 200);
    assert.deepEqual((await account.get(`/v2/contacts/${one.id}/consent`)).data, later, 'what was not known then is not forgotten now');
    await merge(account, two.id, one.id);
    assert.equal((await account.put(`/v2/contacts/${two.id}`, two)).status, 200);
    const now = await read(account, two.id);
    const back = await account.put(`/v2/contacts/${two.id}`, now);
    assert.deepEqual([back.status, back.data], [200, now]);
    const { revision, ...unread } = now;
    for (const body of [
      { ...now, status: 'active' },
      { ...unread, status: 'active' },
    ])
      assert.equal((await account.put(`/v2/contacts/${two.id}`, body)).error.details[0].path, '/status');
  });

  await t.test('circles, chains and strangers have their answers', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await create(account, { email: 'a@example.com' }),
      await create(account, { email: 'b@example.com' }),
      await create(account, { email: 'c@example.com' }),
    ];
    assert.deepEqual((await merge(account, a.id, a.id)).error.details[0].code, 'same_contact');
    const first = (await merge(account, b.id, c.id)).data.merge_id;
    const again = await merge(account, a.id, c.id);
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
    assert.match(again.error.message, new RegExp(b.id));
    const second = (await merge(account, a.id, b.id)).data.merge_id;
    assert.equal((await merge(account, b.id, a.id)).status, 409, 'a circle');
    assert.equal((await read(account, c.id)).id, a.id);
    assert.equal((await undo(account, b.id, first)).status, 409, 'the contact it was merged into is itself merged');
    assert.equal((await undo(account, a.id, second)).status, 200);
    assert.deepEqual([(await read(account, c.id)).id, (await read(account, a.id)).id], [b.id, a.id]);
    assert.equal((await undo(account, b.id, first)).status, 200);
    assert.equal((await read(account, c.id)).email, 'c@example.com');

    const stranger = await create(testClient(app), { email: 'x@example.com' });
    for (const id of [stranger.id, 'contact_nope']) {
      const answer = await merge(account, a.id, id);
      assert.deepEqual([answer.status, answer.error.details[0].code], [400, 'unknown_contact']);
    }
    assert.equal((await merge(account, a.id, b.id, { 'if-match': '"9"' })).status, 412);
    assert.equal((await account.delete(`/v2/contacts/${a.id}`)).status, 200);
  });

  await t.test('merges are undone newest first, and not over an identity that somebody else has by now', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await create(account, { email: 'a@example.com' }),
      await create(account, { phone: '+4930901820' }),
      await create(account, { external_id: 'x' }),
    ];
    const first = (await merge(account, a.id, b.id)).data.merge_id;
    const second = (await merge(account, a.id, c.id)).data.merge_id;
    const early = await undo(account, a.id, first);
    assert.deepEqual([early.status, early.error.message.includes(second)], [409, true]);
    await account.put(`/v2/contacts/${a.id}`, { external_id: null });
    const thief = await create(account, { external_id: 'x' });
    const taken = await undo(account, a.id, second);
    assert.deepEqual([taken.status, taken.error.details[0].existing_id], [409, thief.id]);
    assert.equal((await read(account, c.id)).id, a.id, 'nothing is half undone');
    assert.equal(taken.error.details[0].path, '/external_id');
    assert.equal((await account.delete(`/v2/contacts/${c.id}`)).status, 409);
    await account.delete(`/v2/contacts/${a.id}`);
    assert.equal((await account.get(`/v2/contacts/${c.id}`)).status, 404);
  });

  await t.test('the identity that somebody else has is named, not one that the two had between them', async () => {
    const account = testClient(app);
    const [a, b] = [await create(account, { phone: '+4930901820' }), await create(account, { email: 'b@example.com', external_id: 'x' })];
    const { data } = await merge(account, a.id, b.id);
    await account.put(`/v2/contacts/${a.id}`, { external_id: null });
    const thief = await create(account, { external_id: 'x' });
    const { status, error } = await undo(account, a.id, data.merge_id);
    assert.deepEqual([status, error.details[0].path, error.details[0].existing_id], [409, '/external_id', thief.id]);
    assert.equal((await read(account, b.id)).email, 'b@example.com');
  });

  await t.test('tags and topics of both must be as many as one contact can have; else neither is changed', async () => {
    const account = testClient(app);
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const topics = (prefix: string, count: number) =>
      Object.fromEntries(names(prefix, count).map((name) => [name, { email: { status: 'subscribed' } }]));
    for (const [index, [own, other, tooMany]] of [
      [{ tags: names('a', 60) }, { tags: names('b', 41) }, '101 tags'],
      [{ consent: { topics: topics('a', 50) } }, { consent: { topics: topics('b', 50) } }, '100 topics'],
    ].entries()) {
      const [one, two] = [
        await create(account, { email: `one${index}@example.com`, ...(own as object) }),
        await create(account, { email: `two${index}@example.com`, ...(other as object) }),
      ];
      const answer = await merge(account, one.id, two.id);
      assert.deepEqual([answer.status, answer.error.details[0].path, answer.error.details[0].code], [400, '/source_id', 'too_big']);
      assert.match(answer.error.message, new RegExp(String(tooMany)));
      assert.deepEqual([await read(account, one.id), await read(account, two.id)], [one, two]);
    }
  });

  await t.test('the attributes of both must be what one contact can have', async () => {
    const account = testClient(app);
    const many = (prefix: string) => Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${prefix}${index}`, 'x'.repeat(1_000)]));
    const [a, b] = [
      await create(account, { email: 'a@example.com', attributes: many('a') }),
      await create(account, { email: 'b@example.com', attributes: many('b') }),
    ];
    const answer = await merge(account, a.id, b.id);
    assert.deepEqual([answer.status, answer.error.details[0].code], [400, 'too_big']);
    assert.match(answer.error.message, /64 KiB/);
  });

  await t.test('of simultaneous merges of the same contact one wins', async () => {
    const account = testClient(app);
    const [a, b, c] = [
      await create(account, { email: 'a@example.com' }),
      await create(account, { email: 'b@example.com' }),
      await create(account, { email: 'c@example.com' }),
    ];
    const answers = await Promise.all([merge(account, a.id, c.id), merge(account, b.id, c.id), merge(account, c.id, a.id)]);
    const won = answers.filter(({ status }) => status === 200).length;
    assert.ok(won === 1 || won === 2);
    assert.ok(answers.every(({ status }) => [200, 409].includes(status)));
    const left = (await account.get('/v2/contacts')).data.items.length;
    assert.equal(left, 3 - won);
  });
});
