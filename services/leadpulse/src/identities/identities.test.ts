import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { startIdentities } from '../../test/start-identities.ts';

test('visitors and contacts', async (t) => {
  const { parts, app, received, known, publish, track, visitorOf, holdNextReply } = await startIdentities(t);

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
    const dee = aContact({ email: 'dee@example.com' });
    known.push(dee);
    await track(account, { event: 'seen', visitor_id: 'v5', email: 'dee@example.com' });
    await visitorOf(account, 'v5', ({ contact_id }) => contact_id === dee.id);
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
    holdNextReply(gate.promise);
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

  await t.test('accounts never share contacts', async () => {
    const [mine, other] = [testClient(app), testClient(app)];
    await publish(ContactCreated, mine.accountId, { contact: aContact({ id: newId('contact'), email: 'shared@example.com' }) });
    await track(mine, { event: 'seen', visitor_id: 'v', email: 'shared@example.com' });
    await visitorOf(mine, 'v', ({ contact_id }) => contact_id !== null);
    await track(other, { event: 'seen', visitor_id: 'v', email: 'shared@example.com' });
    assert.equal((await visitorOf(other, 'v', ({ events }) => events === 1)).contact_id, null);
  });

  await t.test('a change of a contact without a new identifier leaves its visitors as they are', async () => {
    const account = testClient(app);
    const contact = aContact({ email: 'often@example.com' });
    await publish(ContactCreated, account.accountId, { contact });
    await track(account, { event: 'seen', visitor_id: 'v30', email: 'often@example.com' });
    await visitorOf(account, 'v30', ({ contact_id }) => contact_id === contact.id);
    const visitors = parts.mongo.db.collection('visitors');
    const account_id = account.accountId;
    await eventually(async () => (await visitors.countDocuments({ account_id, attributing: { $exists: true } })) === 0);
    const writes = visitors.watch([{ $match: { 'fullDocument.account_id': account_id } }], { fullDocument: 'updateLookup' });
    t.after(() => writes.close());
    await writes.tryNext();
    const seen = { ...contact, last_seen_at: new Date().toISOString(), revision: 2 };
    await publish(ContactUpdated, account.accountId, { contact: seen, changed: ['last_seen_at'] });
    const identities = parts.mongo.db.collection('identities');
    await eventually(async () => (await identities.countDocuments({ contact_id: contact.id, revision: 2 })) === 1);
    await track(account, { event: 'seen', visitor_id: 'v31' });
    const next = await writes.next();
    assert.equal(next.operationType === 'insert' && next.fullDocument.visitor_id, 'v31', 'the next write is that of another visitor');
  });
});
