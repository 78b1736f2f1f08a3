import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventContactsCount, EventContactsPage } from '@mp/contracts/requests/leadpulse';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { createEventContacts } from './event-contacts.ts';
import type { EventDocument } from './event-document.ts';
import { repliesToEventContacts } from './reply-event-contacts.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-03-01T12:00:00Z');
const days = (ago: number) => new Date(now - ago * dayMs);

test('the contacts that had an event in the past', async (t) => {
  const { mongo, broker } = await testParts(t, 'leadpulse');
  const events = mongo.db.collection<EventDocument>('events');
  await events.createIndexes([
    { name: 'contact', key: { account_id: 1, contact_id: 1, time: 1 }, partialFilterExpression: { contact_id: { $gt: '' } } },
    { name: 'name', key: { account_id: 1, name: 1, time: 1, _id: 1 }, partialFilterExpression: { visitor: { $gt: '' } } },
  ]);
  broker.start();
  await broker.connected();
  let ms = 0;
  const pastContacts = createEventContacts(events, { nowMs: () => ms });
  for (const reply of repliesToEventContacts({ broker, events: pastContacts })) await reply();
  const accountId = newId('account');

  async function add(contact_id: ContactId | null, ago: number, change: object = {}, account_id: AccountId = accountId) {
    const time = days(ago);
    const row = {
      ...{ _id: newId('event'), account_id, message_id: newId('event'), name: 'order_placed', time, received_at: time, backfill: false },
      ...{
        bot: false,
        visitor: newId('visitor'),
        visitor_key: 'v',
        visitor_id: null,
        claims: [],
        contact_id,
        properties: [{ k: 'sku', v: 'A' }],
      },
      ...{ page: null, utm: null, device: null, browser: null, os: null, country: null, value: { units: 400_000, currency: 'EUR' } },
      context: { user_agent: null, network: null, locale: null, timezone: null, screen: null },
      ...change,
    };
    await events.insertOne(row as unknown as EventDocument);
    return row._id;
  }
  const range = { account_id: accountId, event: 'order_placed', from: days(30).toISOString(), until: days(0).toISOString() };
  const page = (after: ContactId | null = null, more: object = {}) =>
    broker.request(EventContactsPage, { ...range, after, limit: 2, ...more });

  const ids = Array.from({ length: 5 }, () => newId('contact')).sort();
  const [a, b, c, d, e] = ids as [ContactId, ContactId, ContactId, ContactId, ContactId];
  await add(a, 20);
  const latest = await add(a, 10);
  await add(a, 1, { bot: true });
  await add(a, 2, { visitor: null });
  await add(b, 40);
  await add(b, 5, { name: 'other' });
  await add(c, 3, { backfill: true, received_at: days(1) });
  await add(d, 3, { value: { units: 50_000, currency: 'EUR' } });
  await add(e, 3, { received_at: days(-1) });
  await add(e, 29);
  await add(null, 1);
  await add(newId('contact'), 1, {}, newId('account'));

  await t.test('is each contact once, with the last of its events that fits, in pages', async () => {
    const first = await page();
    assert.deepEqual(
      first.people.map(({ contact_id }) => contact_id),
      [a, c],
    );
    const { event_id, properties, value, time } = first.people[0] ?? {};
    assert.deepEqual([event_id, properties, value, time], [latest, { sku: 'A' }, { amount: 40, currency: 'EUR' }, days(10).toISOString()]);
    const second = await page(first.next);
    assert.deepEqual(
      second.people.map(({ contact_id }) => contact_id),
      [d, e],
    );
    assert.deepEqual(second.next === null ? [] : (await page(second.next)).people, []);
    const large = await page(null, { where: { 'value.amount': { gte: 10 } }, limit: 10 });
    assert.deepEqual([large.people.map(({ contact_id }) => contact_id), large.next], [[a, c, e], null]);
  });

  await t.test('is counted exactly', async () => {
    assert.deepEqual(await broker.request(EventContactsCount, range), { contacts: 4, exact: true });
    assert.deepEqual(await broker.request(EventContactsCount, { ...range, where: { 'value.amount': { gte: 10 } } }), {
      contacts: 3,
      exact: true,
    });
    assert.deepEqual(await broker.request(EventContactsCount, { ...range, account_id: newId('account') }), { contacts: 0, exact: true });
  });

  await t.test('is found in as many pages as it takes, however rare the event is', async () => {
    const found: ContactId[] = [];
    const query = { name: 'order_placed', from: days(30), until: days(0), fits: () => true };
    const slow = createEventContacts(events, { nowMs: () => (ms += 1_000) });
    for (let after: ContactId | null = null, pages = 0; ; pages += 1) {
      const { people: some, next } = await slow.contactsPage(accountId, query, { after, limit: 100 });
      found.push(...some.map(({ contact_id }) => contact_id));
      if (next === null) {
        assert.ok(pages > 1);
        break;
      }
      after = next;
    }
    assert.deepEqual(found, [a, c, d, e]);
  });
});
