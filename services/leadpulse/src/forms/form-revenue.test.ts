import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '@mp/contracts/contact';
import { ContactCreated, ContactDeleted, ContactErased, ContactUpdated, FormSubmitted } from '@mp/contracts/events/contacts';
import { FormRevenue } from '@mp/contracts/requests/leadpulse';
import { type ContactId, type FormId, newId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { startIdentities } from '../../test/start-identities.ts';

const dayMs = 86_400_000;
const day = (days: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + days * dayMs).toISOString();

test('revenue by form', async (t) => {
  const { parts, app, publish, track } = await startIdentities(t);
  const events = parts.mongo.db.collection<{ _id: string; contact_id: ContactId | null; pending?: true }>('events');

  const exists = async ({ accountId }: Client, contact: Contact) => publish(ContactCreated, accountId, { contact });
  const cameBy = async ({ accountId }: Client, { id }: Contact, form_id: FormId, at: string, is_new = true) => {
    const submission_id = newId('submission');
    await publish(FormSubmitted, accountId, {
      ...{ submission_id, form_id, form_name: 'News', form_version: 1, contact_id: id, is_new, consents: [] },
      ...{ awaits_confirmation: true, page: null, visitor_id: null, at },
    });
    const rows = parts.mongo.db.collection<{ _id: string }>('form_contacts');
    if (is_new) await eventually(() => rows.findOne({ _id: `${accountId} ${id}` }));
  };
  /** Tracks an event of the contact, and waits until it is counted as one. */
  const orders = async (account: Client, { id }: Pick<Contact, 'id'>, timestamp: string, body: object = {}) => {
    const value = { amount: 10.5, currency: 'EUR' };
    const event = await track(account, { event: 'order', contact_id: id, timestamp, value, ...body });
    await eventually(async () => (await events.findOne({ _id: event, contact_id: { $gt: '' as ContactId } })) !== null);
    return event;
  };
  const revenueOf = (account: Client, form_id: FormId, from = day(-300), to = day(1)) =>
    parts.broker.request(FormRevenue, { account_id: account.accountId, form_id, from, to });
  const is = (account: Client, form: FormId, expected: object) =>
    eventually(async () => isDeepStrictEqual(await revenueOf(account, form), expected));

  await t.test(
    'is what contacts that the form created ordered since, in the range, by currency; robots and others do not count',
    async () => {
      const [account, other] = [testClient(app), testClient(app)];
      const [form, another] = [newId('form'), newId('form')];
      const [ada, bob, old] = [aContact(), aContact(), aContact()];
      for (const contact of [ada, bob, old]) await exists(account, contact);
      await cameBy(account, ada, form, day(-20));
      await cameBy(account, bob, another, day(-20));
      await cameBy(account, old, form, day(-20), false);
      await orders(account, ada, day(-30));
      await orders(account, ada, day(-20));
      await orders(account, ada, day(-5), { value: { amount: 3, currency: 'USD' } });
      await orders(account, ada, day(-4), { value: { amount: -0.5, currency: 'EUR' }, event: 'refund' });
      await orders(account, ada, day(-3), { value: null });
      await orders(account, bob, day(-3));
      await orders(account, old, day(-3));
      const robot = { contact_id: ada.id, visitor_id: 'robot', context: { user_agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' } };
      await orders(account, ada, day(-3), robot);
      const [eur, usd] = [
        { amount: 10, currency: 'EUR' },
        { amount: 3, currency: 'USD' },
      ];
      assert.deepEqual(await revenueOf(account, form), { orders: 2, revenue: [eur, usd] });
      assert.deepEqual(await revenueOf(account, form, day(-10), day(-4.5)), { orders: 1, revenue: [usd] });
      assert.deepEqual(await revenueOf(account, another), { orders: 1, revenue: [{ amount: 10.5, currency: 'EUR' }] });
      assert.deepEqual(await revenueOf(other, form), { orders: 0, revenue: [] }, 'of another account');
    },
  );

  await t.test('counts merged contacts once, for the first form, with all their orders, until the merge is undone', async () => {
    const account = testClient(app);
    const [first, second] = [newId('form'), newId('form')];
    const [one, twin, survivor] = [aContact(), aContact(), aContact()];
    for (const contact of [one, twin, survivor]) await exists(account, contact);
    await cameBy(account, one, first, day(-20));
    await cameBy(account, twin, first, day(-10));
    await cameBy(account, survivor, second, day(-15));
    for (const contact of [one, twin, survivor]) await orders(account, contact, day(-5));
    await is(account, first, { orders: 2, revenue: [{ amount: 21, currency: 'EUR' }] });
    for (const { id } of [one, twin])
      await publish(ContactDeleted, account.accountId, { contact_id: id, revision: 2, merged_into: survivor.id });
    await is(account, first, { orders: 3, revenue: [{ amount: 31.5, currency: 'EUR' }] });
    assert.deepEqual(await revenueOf(account, second), { orders: 0, revenue: [] }, 'no order counts for two forms');
    await orders(account, survivor, day(-1));
    await is(account, first, { orders: 4, revenue: [{ amount: 42, currency: 'EUR' }] });
    await publish(ContactUpdated, account.accountId, { contact: { ...one, revision: 3 }, changed: [] });
    await is(account, first, { orders: 1, revenue: [{ amount: 10.5, currency: 'EUR' }] });
    await is(account, second, { orders: 3, revenue: [{ amount: 31.5, currency: 'EUR' }] });
  });

  await t.test('stays when a contact is deleted, and counts once when it is restored and its visitor returns', async () => {
    const account = testClient(app);
    const form = newId('form');
    const ada = aContact();
    await exists(account, ada);
    await cameBy(account, ada, form, day(-20));
    const visitor_id = 'returning';
    const event = await orders(account, ada, day(-5), { visitor_id });
    const expected = { orders: 1, revenue: [{ amount: 10.5, currency: 'EUR' }] };
    await publish(ContactDeleted, account.accountId, { contact_id: ada.id, revision: 2, restorable_until: day(30) });
    await eventually(async () => (await events.findOne({ _id: event }))?.contact_id === null);
    assert.deepEqual(await revenueOf(account, form), expected);
    await publish(ContactUpdated, account.accountId, { contact: { ...ada, revision: 3 }, changed: [] });
    await track(account, { event: 'seen', visitor_id, contact_id: ada.id });
    await eventually(async () => (await events.findOne({ _id: event }))?.contact_id === ada.id);
    assert.deepEqual(await revenueOf(account, form), expected);
  });

  await t.test('stays when a merged contact is erased, and nothing of the contact does', async () => {
    const account = testClient(app);
    const form = newId('form');
    const [merged, survivor] = [aContact(), aContact()];
    for (const contact of [merged, survivor]) await exists(account, contact);
    await cameBy(account, merged, form, day(-20));
    const stored = [await orders(account, merged, day(-5)), await orders(account, survivor, day(-4))];
    await orders(account, survivor, day(-25));
    await publish(ContactDeleted, account.accountId, { contact_id: merged.id, revision: 2, merged_into: survivor.id });
    const expected = { orders: 2, revenue: [{ amount: 21, currency: 'EUR' }] };
    await is(account, form, expected);
    const erased = { contact_id: survivor.id, merged_ids: [merged.id], revision: 2 };
    await publish(ContactErased, account.accountId, { erasure_id: newId('erasure'), ...erased });
    await eventually(async () => (await events.countDocuments({ _id: { $in: stored }, contact_id: null })) === 2);
    assert.deepEqual(await revenueOf(account, form), expected);
    const rows = parts.mongo.db.collection<{ contact_id: ContactId; expires_at?: Date }>('form_contacts');
    const left = await rows.find({ contact_id: { $in: [merged.id, survivor.id] } }).toArray();
    assert.ok(left.every(({ expires_at }) => expires_at && expires_at.getTime() < Date.now() + 2 * dayMs));
  });
});
