import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '@mp/contracts/contact';
import type { EventType } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactErased, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventAttributed, EventBackfilled, EventTracked, LeadpulseContactErased } from '@mp/contracts/events/leadpulse';
import { ContactsFind } from '@mp/contracts/questions/contacts';
import { type AccountId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { writtenEvents } from '@mp/test-kit/written-events';
import type { z } from 'zod';
import { buildApp } from '../app.ts';

test('visitors and contacts', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const received = await listenToEvents(t);
  const { app } = await testService(t, parts, buildApp, { live: true });
  const known: Contact[] = [];
  const merges: { id: string; into: string }[] = [];
  /** If set, the next reply waits for this. */
  let held: Promise<void> | undefined;
  await parts.broker.answer(ContactsFind, async ({ ids, emails, external_ids }) => {
    const gate = held;
    held = undefined;
    await gate;
    const merged = merges.filter(({ id }) => ids.includes(id));
    const wanted = [...ids, ...merged.map(({ into }) => into)];
    return {
      contacts: known.filter(
        ({ id, email, external_id }) =>
          wanted.includes(id) || (email !== null && emails.includes(email)) || (external_id !== null && external_ids.includes(external_id)),
      ),
      merged,
    };
  });

  /** Publishes an event of the contacts service. */
  const publish = <Data extends z.ZodType>(event: EventType<Data>, accountId: AccountId, data: z.input<Data>) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => parts.outbox.add(tx, event, accountId, data));
  const track = async (account: Client, body: object) => {
    const answer = await account.post('/v2/leadpulse/track', body);
    assert.equal(answer.status, 202, answer.text);
    return answer.data.results[0].id as string;
  };
  const visitorOf = (account: Client, visitorId: string, is: (visitor: { contact_id: string | null; events: number }) => boolean) =>
    eventually(async () => {
      const [visitor] = (await account.get(`/v2/leadpulse/visitors?visitor_id=${visitorId}`)).data.items;
      return visitor && is(visitor) && visitor;
    });

  await t.test('publishes each event once, with its contact, properties and value', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'ada@example.com' });
    known.push(contact);
    const id = await track(account, {
      event: 'order_placed',
      visitor_id: 'v1',
      email: 'Ada@Example.com',
      properties: { total: 12.5, lines: [{ sku: 'a' }] },
      context: { page: { url: 'https://example.com/cart?utm_source=spring' } },
      value: { amount: 12.5, currency: 'EUR' },
    });
    const { data } = await received.next(EventTracked, (event) => event.data.event_id === id);
    assert.deepEqual([data.contact_id, data.visitor_id, data.bot], [contact.id, 'v1', false]);
    assert.deepEqual(data.value, { amount: 12.5, currency: 'EUR' });
    assert.deepEqual(data.properties, {
      'page.url': 'https://example.com/cart?utm_source=spring',
      'page.path': '/cart',
      'utm.source': 'spring',
      total: 12.5,
      'lines.0.sku': 'a',
    });
  });

  await t.test('attributes earlier events to the contact once it is named, and later ones without naming it', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'bo@example.com', external_id: 'crm-7' });
    await publish(ContactCreated, account.accountId, { contact });
    const early = [await track(account, { event: 'seen', visitor_id: 'v2' }), await track(account, { event: 'signup', visitor_id: 'v2' })];
    const history = await track(account, { event: 'seen', visitor_id: 'v2', backfill: true });
    for (const id of early) assert.equal((await received.next(EventTracked, (event) => event.data.event_id === id)).data.contact_id, null);
    await visitorOf(account, 'v2', ({ events }) => events === 3);
    await track(account, { event: '$identify', visitor_id: 'v2', external_id: 'crm-7' });
    for (const id of early) {
      const attributed = await received.next(EventAttributed, (event) => event.data.event_id === id);
      assert.equal(attributed.data.contact_id, contact.id);
    }
    await visitorOf(account, 'v2', ({ contact_id }) => contact_id === contact.id);
    const late = await track(account, { event: 'seen', visitor_id: 'v2' });
    assert.equal((await received.next(EventTracked, (event) => event.data.event_id === late)).data.contact_id, contact.id);
    assert.equal((await visitorOf(account, 'v2', ({ events }) => events === 5)).contact_id, contact.id);
    const row = await parts.mongo.db.collection('events').findOne({ account_id: account.accountId, message_id: history });
    assert.equal(row?.contact_id, contact.id, 'backfilled events belong to the contact too');
    assert.equal((await received.next(EventBackfilled, (event) => event.data.contact_id === contact.id)).data.event, 'seen');
    const published = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: EventAttributed.subject });
    assert.equal(published.length, 2);
  });

  await t.test('publishes earlier events newest first, in any order of arrival', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'regular@example.com' });
    await publish(ContactCreated, account.accountId, { contact });
    const timestampOf = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    for (const hours of [5, 3, 9, 1, 7])
      await track(account, { event: `seen ${hours}`, visitor_id: 'v17', timestamp: timestampOf(hours), sent_at: timestampOf(0) });
    await visitorOf(account, 'v17', ({ events }) => events === 5);
    await track(account, { event: '$identify', visitor_id: 'v17', email: 'regular@example.com' });
    const published = () => writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: EventAttributed.subject });
    await eventually(async () => (await published()).length === 5);
    assert.deepEqual(
      (await published()).map(({ envelope }) => envelope.data.event),
      ['seen 1', 'seen 3', 'seen 5', 'seen 7', 'seen 9'],
    );
  });

  await t.test('resolves an unknown identifier once its contact is created, updated or looked up', async () => {
    const account = testClient(app);
    await track(account, { event: 'seen', visitor_id: 'v3', email: 'cy@example.com' });
    await track(account, { event: 'seen', visitor_id: 'v4', external_id: 'crm-8' });
    await visitorOf(account, 'v3', ({ events }) => events === 1);
    await visitorOf(account, 'v4', ({ events }) => events === 1);
    const contact = aContact({ email: 'Cy@Example.com' });
    await publish(ContactCreated, account.accountId, { contact });
    await visitorOf(account, 'v3', ({ contact_id }) => contact_id === contact.id);
    await publish(ContactUpdated, account.accountId, {
      contact: { ...contact, external_id: 'crm-8', revision: 2 },
      changed: ['external_id'],
    });
    await visitorOf(account, 'v4', ({ contact_id }) => contact_id === contact.id);
    const asked = aContact({ email: 'dee@example.com' });
    known.push(asked);
    await track(account, { event: 'seen', visitor_id: 'v5', email: 'dee@example.com' });
    await visitorOf(account, 'v5', ({ contact_id }) => contact_id === asked.id);
  });

  await t.test('looks up external IDs too, so that the event is published with its contact', async () => {
    const account = testClient(app);
    const contact = aContact({ email: null, external_id: 'crm-asked' });
    known.push(contact);
    const id = await track(account, { event: 'seen', visitor_id: 'v20', external_id: 'crm-asked' });
    assert.equal((await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id, contact.id);
  });

  await t.test('a slow reply delays only its own batch; the next look-up starts at once', async () => {
    const account = testClient(app);
    const people = ['slow', 'quick'].map((name) => aContact({ email: `${name}@example.com` }));
    known.push(...people);
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    const tracked = [];
    for (const { email } of people) {
      const id = await track(account, { event: 'seen', visitor_id: `of ${email}`, email });
      tracked.push((await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id);
    }
    gate.resolve();
    assert.deepEqual(tracked, [null, people[1]?.id]);
  });

  await t.test('publishes an event again when it is attributed later, with its contact and its original time', async () => {
    const account = testClient(app);
    const timestamp = new Date(Date.now() - 3_600_000).toISOString();
    const id = await track(account, {
      event: 'signup',
      visitor_id: 'v21',
      external_id: 'crm-late',
      timestamp,
      properties: { plan: 'pro' },
    });
    const first = await received.next(EventTracked, ({ data }) => data.event_id === id);
    assert.equal(first.data.contact_id, null);
    const contact = aContact({ email: null, external_id: 'crm-late' });
    await publish(ContactCreated, account.accountId, { contact });
    const { data } = await received.next(EventAttributed, (event) => event.data.event_id === id);
    assert.deepEqual(data, { ...first.data, contact_id: contact.id });
    assert.equal(data.time, timestamp);
  });

  await t.test('resolves several identifiers of one event in order of precedence, even if one becomes known later', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'second@example.com', external_id: null });
    await publish(ContactCreated, account.accountId, { contact });
    const named = { external_id: 'crm-unknown', email: 'second@example.com' };
    const contactOf = async (id: string) => (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
    await eventually(async () => (await contactOf(await track(account, { event: 'seen', visitor_id: 'v22', ...named }))) === contact.id);
    const gone = { contact_id: newId('contact'), ...named };
    assert.equal(await contactOf(await track(account, { event: 'seen', visitor_id: 'v23', ...gone })), contact.id);
    const first = aContact({ email: null, external_id: 'crm-first' });
    await publish(ContactCreated, account.accountId, { contact: first });
    const both = { external_id: 'crm-first', email: 'second@example.com' };
    await eventually(async () => (await contactOf(await track(account, { event: 'seen', ...both }))) === first.id);
    await track(account, { event: 'seen', visitor_id: 'v24', external_id: 'crm-nobody', email: 'third@example.com' });
    await visitorOf(account, 'v24', ({ events }) => events === 1);
    const third = aContact({ email: 'third@example.com' });
    await publish(ContactCreated, account.accountId, { contact: third });
    await visitorOf(account, 'v24', ({ contact_id }) => contact_id === third.id);
    await eventually(async () => (await parts.mongo.db.collection('events').countDocuments({ contact_id: third.id })) === 1);
  });

  await t.test(
    'the ID of a merged contact resolves to the survivor, with or without the merge event, until the merge is undone',
    async () => {
      const account = testClient(app);
      const [merged, into] = [aContact({ email: 'was@example.com' }), aContact({ email: 'stays@example.com' })];
      const unresolved = newId('contact');
      known.push(into);
      merges.push({ id: unresolved, into: into.id });
      const contactOf = async (id: string) => (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
      assert.equal(await contactOf(await track(account, { event: 'seen', visitor_id: 'v25', contact_id: unresolved })), into.id);
      for (const contact of [merged, into]) await publish(ContactCreated, account.accountId, { contact });
      await track(account, { event: 'seen', visitor_id: 'v26', contact_id: merged.id });
      await visitorOf(account, 'v26', ({ contact_id }) => contact_id === merged.id);
      await publish(ContactDeleted, account.accountId, { contact_id: merged.id, revision: 2, merged_into: into.id });
      const rows = parts.mongo.db.collection<{ _id: string; deleted?: true }>('identities');
      await eventually(async () => (await rows.findOne({ _id: `${account.accountId} contact:${merged.id}` }))?.deleted === true);
      assert.equal(await contactOf(await track(account, { event: 'seen', visitor_id: 'v27', contact_id: merged.id })), into.id);
      const found = (await account.get(`/v2/leadpulse/visitors?contact_id=${into.id}`)).data.items;
      assert.deepEqual(found.map(({ visitor_id }: { visitor_id: string }) => visitor_id).sort(), ['v25', 'v27']);
      const own = await track(account, { event: 'seen', visitor_id: 'v26', contact_id: into.id });
      assert.equal(await contactOf(own), into.id);
      const visitor = await visitorOf(account, 'v26', ({ events }) => events === 2);
      assert.deepEqual([visitor.contact_id, visitor.conflicts], [merged.id, []], 'naming the survivor is not a conflict');
      await publish(ContactCreated, account.accountId, { contact: { ...merged, revision: 3 } });
      await visitorOf(account, 'v27', ({ contact_id }) => contact_id === merged.id);
      assert.equal((await visitorOf(account, 'v25', () => true)).contact_id, into.id);
    },
  );

  await t.test('a visitor keeps its first contact; another named contact is recorded as a conflict and gets that event', async () => {
    const account = testClient(app);
    const [first, second] = [aContact({ email: 'e1@example.com' }), aContact({ email: 'e2@example.com' })];
    known.push(first, second);
    await track(account, { event: 'login', visitor_id: 'v6', email: 'e1@example.com' });
    const other = await track(account, { event: 'login', visitor_id: 'v6', contact_id: second.id });
    const after = await track(account, { event: 'seen', visitor_id: 'v6' });
    const contactOf = async (id: string) => (await received.next(EventTracked, (event) => event.data.event_id === id)).data.contact_id;
    assert.deepEqual([await contactOf(other), await contactOf(after)], [second.id, first.id]);
    const visitor = await visitorOf(account, 'v6', ({ events }) => events === 3);
    assert.equal(visitor.contact_id, first.id);
    assert.deepEqual(
      visitor.conflicts.map(({ contact_id, event_id }: Record<string, string>) => [contact_id, event_id]),
      [[second.id, other]],
    );
  });

  await t.test('applies contact events by revision, not by arrival', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'new@example.com', revision: 3 });
    await publish(ContactUpdated, account.accountId, { contact, changed: ['email'] });
    await track(account, { event: 'seen', visitor_id: 'v7', email: 'new@example.com' });
    await visitorOf(account, 'v7', ({ contact_id }) => contact_id === contact.id);
    await publish(ContactCreated, account.accountId, { contact: { ...contact, email: 'old@example.com', revision: 1 } });
    await publish(ContactCreated, account.accountId, { contact: aContact({ email: 'fence@example.com' }) });
    await track(account, { event: 'seen', visitor_id: 'v8', email: 'fence@example.com' });
    await visitorOf(account, 'v8', ({ contact_id }) => contact_id !== null);
    await track(account, { event: 'seen', visitor_id: 'v9', email: 'old@example.com' });
    assert.equal((await visitorOf(account, 'v9', ({ events }) => events === 1)).contact_id, null);
  });

  await t.test('deleting a contact makes its visitors anonymous and removes its identifiers; analytics do not change', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'gone@example.com', external_id: 'crm-gone' });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v10', email: 'gone@example.com' });
    await track(account, { event: 'seen', email: 'gone@example.com' });
    await eventually(async () => (await account.get(`/v2/leadpulse/visitors?contact_id=${contact.id}`)).data.items.length === 2);
    await publish(ContactDeleted, account.accountId, { contact_id: contact.id, revision: 2 });
    await visitorOf(account, 'v10', ({ contact_id }) => contact_id === null);
    const account_id = account.accountId;
    await eventually(async () => {
      const events = await parts.mongo.db.collection('events').find({ account_id }).toArray();
      const visitors = await parts.mongo.db.collection('visitors').find({ account_id }).toArray();
      return !/gone@example|crm-gone/.test(JSON.stringify([events, visitors]));
    });
    assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.events, 2);
    await track(account, { event: 'seen', visitor_id: 'v10', contact_id: contact.id });
    assert.equal((await visitorOf(account, 'v10', ({ events }) => events === 2)).contact_id, null, 'the contact is not restored');
  });

  await t.test('a merged contact keeps its visitors until the merge is undone, and only a higher revision restores it', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'merged@example.com' });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v11', email: 'merged@example.com' });
    await visitorOf(account, 'v11', ({ contact_id }) => contact_id === contact.id);
    const gone = { contact_id: contact.id, revision: 2, merged_into: newId('contact') };
    await publish(ContactDeleted, account.accountId, gone);
    await publish(ContactCreated, account.accountId, { contact });
    const row = () =>
      parts.mongo.db
        .collection<{ _id: string; deleted?: true }>('identities')
        .findOne({ _id: `${account.accountId} contact:${contact.id}` });
    await eventually(async () => (await row())?.deleted === true);
    await track(account, { event: 'seen', visitor_id: 'v12', email: 'merged@example.com' });
    assert.equal(
      (await visitorOf(account, 'v12', ({ events }) => events === 1)).contact_id,
      null,
      'the identifier resolves to no contact now',
    );
    await publish(ContactCreated, account.accountId, { contact: { ...contact, revision: 3 } });
    await visitorOf(account, 'v12', ({ contact_id }) => contact_id === contact.id);
    assert.equal((await visitorOf(account, 'v11', () => true)).contact_id, contact.id);
    await publish(ContactDeleted, account.accountId, gone);
    await track(account, { event: 'seen', visitor_id: 'v13', contact_id: contact.id });
    await visitorOf(account, 'v13', ({ contact_id }) => contact_id === contact.id);
    await publish(ContactDeleted, account.accountId, { contact_id: newId('contact'), revision: 2, merged_ids: [contact.id] });
    await visitorOf(account, 'v11', ({ contact_id }) => contact_id === null);
  });

  await t.test('publishes events of a merged contact as events of the survivor, until the merge is undone', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'part@example.com' });
    const [into, intoThat] = [newId('contact'), newId('contact')];
    const did = async () => {
      const id = await track(account, { event: 'seen', visitor_id: 'v16' });
      return (await received.next(EventTracked, ({ data }) => data.event_id === id)).data.contact_id;
    };
    const merged = (contact_id: string, revision: number, merged_into: string) =>
      publish(ContactDeleted, account.accountId, { contact_id, revision, merged_into });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v16', email: 'part@example.com' });
    await visitorOf(account, 'v16', ({ contact_id }) => contact_id === contact.id);
    assert.equal(await did(), contact.id);
    await merged(contact.id, 2, into);
    await eventually(async () => (await did()) === into);
    await merged(into, 5, intoThat);
    await eventually(async () => (await did()) === intoThat);
    assert.equal((await visitorOf(account, 'v16', () => true)).contact_id, contact.id, 'the stored visitor keeps its contact');
    await publish(ContactCreated, account.accountId, { contact: { ...contact, revision: 3 } });
    await eventually(async () => (await did()) === contact.id);
  });

  await t.test(
    'an erasure removes everything under every ID and identifier of the contact, and confirms it every time it is requested',
    async () => {
      const account = testClient(app);
      const account_id = account.accountId;
      const [contact, other] = [aContact({ email: 'old@person.example' }), aContact({ email: 'twin@person.example' })];
      for (const one of [contact, other]) await publish(ContactCreated, account_id, { contact: one });
      await eventually(
        async () => (await parts.mongo.db.collection('identities').countDocuments({ account_id, contact_id: { $gt: '' } })) === 2,
      );
      const page = { url: 'https://example.com/?mail=old@person.example' };
      await track(account, { event: 'seen', visitor_id: 'v14', email: 'old@person.example', context: { page } });
      await track(account, { event: 'seen', email: 'old@person.example', properties: { note: 'verysecret' } });
      await track(account, { event: 'seen', visitor_id: 'v15', email: 'twin@person.example' });
      for (const id of ['v14', 'v15']) await visitorOf(account, id, ({ contact_id }) => contact_id !== null);
      await eventually(
        async () => (await parts.mongo.db.collection('events').countDocuments({ account_id, contact_id: contact.id })) === 2,
      );
      await publish(ContactUpdated, account_id, { contact: { ...contact, email: 'new@person.example', revision: 2 }, changed: ['email'] });
      await publish(ContactDeleted, account_id, { contact_id: other.id, revision: 2, merged_into: contact.id });
      await publish(ContactDeleted, account_id, { contact_id: contact.id, revision: 3, merged_ids: [other.id], erased: true });
      const figures = async () => {
        const { totals, series } = (await account.get('/v2/leadpulse/analytics')).data;
        return { totals, series };
      };
      const counted = await figures();
      assert.deepEqual([counted.totals.visitors, counted.totals.visitors_error], [3, 0]);
      const erasure = { erasure_id: newId('erasure'), contact_id: contact.id, merged_ids: [other.id], revision: 3 };
      for (let round = 0; round < 2; round += 1) {
        await parts.mongo.transaction({ correlationId: `erase-${round}`, causationId: null }, (tx) =>
          parts.outbox.add(tx, ContactErased, account_id, erasure),
        );
        const { data } = await received.next(LeadpulseContactErased, (event) => event.correlation_id === `erase-${round}`);
        assert.deepEqual(
          [data.erasure_id, data.contact_id, data.removed.events, data.removed.visitors],
          [erasure.erasure_id, contact.id, 3, 3],
        );
      }
      for (const name of ['events', 'visitors', 'sessions']) {
        const rows = JSON.stringify(await parts.mongo.db.collection(name).find({ account_id }).toArray());
        assert.doesNotMatch(rows, /person\.example|verysecret/, name);
      }
      assert.deepEqual(await writtenEvents(parts.mongo.db, { accountId: account_id, subject: EventTracked.subject }), []);
      assert.deepEqual(await figures(), counted, 'analytics do not change');
      await publish(ContactUpdated, account_id, { contact: { ...contact, revision: 9 }, changed: ['tags'] });
      await track(account, { event: 'seen', visitor_id: 'v16', contact_id: contact.id });
      assert.equal((await visitorOf(account, 'v16', ({ events }) => events === 1)).contact_id, null, 'the contact is not restored');
    },
  );

  await t.test('accounts never share contacts', async () => {
    const [mine, other] = [testClient(app), testClient(app)];
    await publish(ContactCreated, mine.accountId, { contact: aContact({ id: newId('contact'), email: 'shared@example.com' }) });
    await track(mine, { event: 'seen', visitor_id: 'v', email: 'shared@example.com' });
    await visitorOf(mine, 'v', ({ contact_id }) => contact_id !== null);
    await track(other, { event: 'seen', visitor_id: 'v', email: 'shared@example.com' });
    assert.equal((await visitorOf(other, 'v', ({ events }) => events === 1)).contact_id, null);
  });
});
