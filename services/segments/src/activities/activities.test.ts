import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MessageBounced,
  MessageClicked,
  MessageComplained,
  MessageConverted,
  MessageDelivered,
  MessageOpened,
  MessageReclassified,
  MessageSent,
} from '@mp/contracts/events/campaigns';
import { ContactCreated, ContactDeleted, ContactErased } from '@mp/contracts/events/contacts';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft, SegmentsContactErased } from '@mp/contracts/events/segments';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { contactWith, envelopeOf, publish, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

test('activities of contacts change their memberships', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const { accountId, ...account } = testClient(app);
  // Stands in for the contacts service: which contact was merged into which.
  const merged = new Map<string, string>();
  await parts.broker.reply(ContactsFind, async ({ ids }) => ({
    contacts: [],
    merged: ids.flatMap((id) => (merged.has(id) ? [{ id, into: merged.get(id) ?? '' }] : [])),
  }));
  const entered = (contactId: string, segmentId: string) =>
    events.next(MembershipEntered, ({ data }) => data.contact_id === contactId && data.segment_id === segmentId);
  const isMember = async (segmentId: string, contactId: string) =>
    (await account.get(`/v2/segments/${segmentId}/contacts/${contactId}`)).data?.member;
  async function segment(name: string, definition: object): Promise<string> {
    const { data } = await account.post('/v2/segments', { name, definition });
    await untilReady(account, data.id);
    return data.id;
  }
  async function newContact() {
    const contact = contactWith();
    await publish(parts, ContactCreated, accountId, { contact });
    await eventually(async () => (await built.profiles.findOne(accountId, contact.id))?.revision === 1);
    return contact.id;
  }
  const tracked = (contactId: string | null, event: string, more: object = {}) => ({
    event_id: newId('activity'),
    event,
    visitor_id: 'v1',
    contact_id: contactId,
    time: new Date().toISOString(),
    properties: { 'page.path': '/pricing', total: 20 },
    value: null,
    bot: false,
    ...more,
  });
  const message = (contactId: string, campaignId: string | null) => ({
    recipient_id: newId('recipient'),
    contact_id: contactId,
    campaign_id: campaignId,
    workflow_id: null,
    at: new Date().toISOString(),
  });

  await t.test('an email that was refused has not bounced: only the address of one that bounced is undeliverable', async () => {
    const campaignId = newId('campaign');
    const of = (activity: string) => segment(activity, { campaign: campaignId, activity });
    const [bounced, refused] = [await of('bounced'), await of('refused')];
    const [gone, full] = [await newContact(), await newContact()];
    await publish(parts, MessageBounced, accountId, { ...message(gone, campaignId), hard: true, reason: '550 5.1.1 No such user' });
    await publish(parts, MessageBounced, accountId, { ...message(full, campaignId), hard: false, reason: '552 5.2.2 Mailbox full' });
    await entered(gone, bounced);
    await entered(full, refused);
    assert.deepEqual([await isMember(bounced, full), await isMember(refused, gone)], [false, false]);
  });

  await t.test('an event counts once, however often it is delivered, and events of bots do not count', async () => {
    const twice = await segment('Twice', { event: 'order_placed', count: { gte: 2 }, in_last: 'P30D' });
    const priced = await segment('Pricing', { event: '$pageview', where: { 'properties.page.path': '/pricing' } });
    const contactId = await newContact();
    const first = tracked(contactId, 'order_placed');
    await publish(parts, EventTracked, accountId, first);
    await publish(parts, EventTracked, accountId, first);
    await publish(parts, EventAttributed, accountId, first);
    await publish(parts, EventTracked, accountId, tracked(contactId, 'order_placed', { bot: true }));
    await publish(parts, EventTracked, accountId, tracked(null, 'order_placed'));
    await publish(parts, EventTracked, accountId, tracked(contactId, '$pageview'));
    await entered(contactId, priced);
    await eventually(async () => (await parts.mongo.db.collection('inbox').countDocuments({ _id: /^segments-leadpulse/ as never })) === 6);
    assert.equal(await isMember(twice, contactId), false);
    await publish(parts, EventTracked, accountId, tracked(contactId, 'order_placed'));
    const event = await entered(contactId, twice);
    assert.equal(event.data.cause, 'activity');
  });

  await t.test('an event that arrives before its contact counts once the contact arrives', async () => {
    const visited = await segment('Visited', { event: 'signed_up' });
    const contact = contactWith();
    await publish(parts, EventTracked, accountId, tracked(contact.id, 'signed_up'));
    await eventually(() =>
      parts.mongo.db
        .collection('activities')
        .findOne({ contact_id: contact.id })
        .then((row) => row !== null),
    );
    assert.equal((await account.get(`/v2/segments/${visited}/contacts/${contact.id}`)).status, 404);
    await publish(parts, ContactCreated, accountId, { contact });
    assert.equal((await entered(contact.id, visited)).data.cause, 'contact');
  });

  await t.test('messages count by campaign; activity of machines does not', async () => {
    const campaign = newId('campaign');
    const clicked = await segment('Clicked', { campaign, activity: 'clicked' });
    const opened = await segment('Opened any', { campaign: 'any', activity: 'opened' });
    const silent = await segment('Never opened', {
      all: [
        { campaign, activity: 'sent' },
        { campaign, activity: 'opened', count: { eq: 0 } },
      ],
    });
    const contactId = await newContact();
    await publish(parts, MessageSent, accountId, message(contactId, campaign));
    await entered(contactId, silent);
    await publish(parts, MessageOpened, accountId, { ...message(contactId, campaign), machine: true });
    await publish(parts, MessageClicked, accountId, { ...message(contactId, campaign), machine: true, url: 'https://example.com' });
    await publish(parts, MessageClicked, accountId, {
      ...message(contactId, newId('campaign')),
      machine: false,
      url: 'https://example.com',
    });
    await publish(parts, MessageOpened, accountId, { ...message(contactId, null), machine: false });
    await entered(contactId, opened);
    await publish(parts, MessageClicked, accountId, { ...message(contactId, campaign), machine: false, url: 'https://example.com' });
    await entered(contactId, clicked);
    assert.equal(await isMember(silent, contactId), true);
  });

  await t.test('a purchase after a click makes a contact a buyer of that campaign, and only of that', async () => {
    const campaign = newId('campaign');
    const buyers = await segment('Buyers', { campaign, activity: 'converted' });
    const twice = await segment('Bought twice', { campaign: 'any', activity: 'converted', count: { gte: 2 } });
    const contactId = await newContact();
    const order = { event: 'bought', value: { amount: 20, currency: 'EUR' } };
    await publish(parts, MessageConverted, accountId, { ...message(contactId, newId('campaign')), ...order });
    await publish(parts, MessageConverted, accountId, { ...message(contactId, campaign), ...order });
    await entered(contactId, buyers);
    await entered(contactId, twice);
  });

  await t.test('a purchase after a click in an email of a workflow makes a contact a buyer of that workflow', async () => {
    const workflow_id = newId('workflow');
    const buyers = await segment('Buyers of the workflow', { campaign: workflow_id, activity: 'converted' });
    const any = await segment('Buyers of any', { campaign: 'any', activity: 'converted', count: { gte: 2 } });
    const contactId = await newContact();
    const order = { event: 'bought', value: { amount: 20, currency: 'EUR' } };
    await publish(parts, MessageConverted, accountId, { ...message(contactId, null), workflow_id: newId('workflow'), ...order });
    await publish(parts, MessageConverted, accountId, { ...message(contactId, null), workflow_id, ...order });
    await entered(contactId, buyers);
    await entered(contactId, any);
  });

  await t.test('a delivered message and a complaint count', async () => {
    const campaign = newId('campaign');
    const delivered = await segment('Delivered', { campaign, activity: 'delivered' });
    const complained = await segment('Complained', { campaign: 'any', activity: 'complained' });
    const contactId = await newContact();
    await publish(parts, MessageDelivered, accountId, message(contactId, campaign));
    await entered(contactId, delivered);
    await publish(parts, MessageComplained, accountId, message(contactId, campaign));
    await entered(contactId, complained);
  });

  await t.test('a click reclassified as a scanner no longer counts, and counts again if that is corrected', async () => {
    const campaign = newId('campaign');
    const clicked = await segment('Clicked by people', { campaign, activity: 'clicked' });
    const contactId = await newContact();
    const own = message(contactId, campaign);
    const click = { ...own, url: 'https://example.com', machine: false };
    const { id: event_id } = await publish(parts, MessageClicked, accountId, click);
    await entered(contactId, clicked);
    const corrected = { ...own, event_id, activity: 'clicked' as const };
    await publish(parts, MessageReclassified, accountId, { ...corrected, machine: true });
    const left = await events.next(MembershipLeft, ({ data }) => data.contact_id === contactId && data.segment_id === clicked);
    assert.equal(left.data.cause, 'activity');
    await publish(parts, MessageReclassified, accountId, { ...corrected, machine: false });
    await events.next(MembershipEntered, ({ data }) => data.contact_id === contactId && data.sequence === left.data.sequence + 1);

    const late = await newContact();
    const lateClick = envelopeOf(MessageClicked, accountId, { ...click, ...message(late, campaign) });
    const correction = { ...message(late, campaign), event_id: lateClick.id, activity: 'clicked' as const, machine: true };
    await publish(parts, MessageReclassified, accountId, correction);
    const activities = parts.mongo.db.collection('activities');
    await eventually(async () => (await activities.countDocuments({ contact_id: late })) === 1);
    await parts.broker.publish(MessageClicked.subject, JSON.stringify(lateClick), lateClick.id);
    await eventually(async () =>
      parts.mongo.db.collection<{ _id: string }>('inbox').findOne({ _id: `segments-campaigns ${lateClick.id}` }),
    );
    assert.equal(await isMember(clicked, late), false, 'the correction arrived before the click');
    assert.equal(await activities.countDocuments({ contact_id: late }), 1);
  });

  await t.test("another account's contact is not affected, and a deleted contact's activities are removed", async () => {
    const contactId = await newContact();
    const stranger = testClient(app);
    await publish(parts, EventTracked, stranger.accountId, tracked(contactId, 'order_placed'));
    await publish(parts, EventTracked, accountId, tracked(contactId, 'order_placed'));
    const activities = parts.mongo.db.collection('activities');
    await eventually(async () => (await activities.countDocuments({ contact_id: contactId })) === 1);
    assert.equal((await activities.findOne({ contact_id: contactId }))?.account_id, accountId);
    await parts.mongo.transaction({ correlationId: 'req_test', causationId: null }, (tx) =>
      built.contacts.applyDeletion(tx, accountId, { contactId, revision: 2 }),
    );
    await built.eraser.eraseSome();
    assert.equal(await activities.countDocuments({ contact_id: contactId }), 0);
  });

  await t.test('removed activities are counted with their removal, even when two processes remove them', async () => {
    const contactId = await newContact();
    const activities = parts.mongo.db.collection<{ _id: string; [field: string]: unknown }>('activities');
    const stored = { account_id: accountId, contact_id: contactId, name: 'joined', time: new Date(), properties: [], machine: false };
    const total = 2_500;
    await activities.insertMany(Array.from({ length: total }, () => ({ _id: newId('activity'), ...stored })));
    const origin = { correlationId: 'req_test', causationId: null };
    await parts.mongo.transaction(origin, (tx) => built.contacts.applyDeletion(tx, accountId, { contactId, revision: 2 }));
    const erasing = Promise.all([built.eraser.eraseSome(), built.eraser.eraseSome()]);
    let counted = 0;
    while (counted < total) {
      const left = await parts.mongo.transaction(origin, async ({ session }) => {
        const profile = await parts.mongo.db
          .collection<{ _id: string; removed?: number }>('profiles')
          .findOne({ _id: contactId }, { session });
        counted = profile?.removed ?? 0;
        return activities.countDocuments({ contact_id: contactId }, { session });
      });
      assert.equal(left + counted, total);
    }
    await erasing;
    assert.equal(counted, total);
  });

  await t.test('a merged contact keeps its activities until the merge is undone, and a late event does not restore it', async () => {
    const visited = await segment('Signed up', { event: 'joined' });
    const contact = contactWith();
    await publish(parts, ContactCreated, accountId, { contact });
    await publish(parts, EventTracked, accountId, tracked(contact.id, 'joined'));
    await entered(contact.id, visited);
    const survivor = contactWith();
    await publish(parts, ContactCreated, accountId, { contact: survivor });
    await publish(parts, ContactDeleted, accountId, { contact_id: contact.id, revision: 2, merged_into: survivor.id });
    await events.next(MembershipLeft, ({ data }) => data.contact_id === contact.id);
    await eventually(async () => (await built.profiles.findOne(accountId, survivor.id))?.revision === 1);
    merged.set(contact.id, survivor.id);
    const explained = await account.get(`/v2/segments/${visited}/contacts/${contact.id}`);
    assert.deepEqual([explained.status, explained.data?.contact_id], [200, survivor.id], 'a merged id refers to the surviving contact');
    merged.clear();
    await built.eraser.eraseSome();
    await publish(parts, ContactCreated, accountId, { contact });
    await publish(parts, ContactCreated, accountId, { contact: { ...contact, revision: 3 } });
    const back = await events.next(MembershipEntered, ({ data }) => data.contact_id === contact.id && data.sequence === 3);
    assert.deepEqual([back.data.segment_id, (await built.profiles.findOne(accountId, contact.id))?.revision], [visited, 3]);
    await publish(parts, ContactDeleted, accountId, { contact_id: contact.id, revision: 2, merged_into: newId('contact') });
    await publish(parts, ContactDeleted, accountId, { contact_id: newId('contact'), revision: 2, merged_ids: [contact.id] });
    await events.next(MembershipLeft, ({ data }) => data.contact_id === contact.id && data.sequence === 4);
  });

  await t.test('an erased contact leaves nothing under any of its ids, and every erasure event is confirmed', async () => {
    const known = await segment('Known', { event: 'order_placed' });
    const [contactId, merged] = [await newContact(), newId('contact')];
    await publish(parts, EventTracked, accountId, tracked(contactId, 'order_placed'));
    await entered(contactId, known);
    const erasure = { erasure_id: newId('erasure'), contact_id: contactId, merged_ids: [merged], revision: 2 };
    const receipts: object[] = [];
    for (let round = 0; round < 2; round += 1) {
      const erased = await publish(parts, ContactErased, accountId, erasure);
      const { data, correlation_id } = await events.next(SegmentsContactErased, (event) => event.correlation_id === erased.correlation_id);
      assert.deepEqual([data.erasure_id, data.contact_id, correlation_id], [erasure.erasure_id, contactId, erased.correlation_id]);
      receipts.push(data.removed);
    }
    // The contact was in other segments of this account too.
    const [first, second] = receipts as Record<string, number>[];
    assert.equal(first?.activities, 1);
    assert.ok((first?.memberships ?? 0) >= 1);
    assert.deepEqual(second, { profiles: 2, activities: 1, memberships: 0 });
    for (const name of ['activities', 'memberships', 'due'])
      assert.equal(await parts.mongo.db.collection(name).countDocuments({ contact_id: contactId }), 0, name);
    await publish(parts, ContactCreated, accountId, { contact: contactWith({ id: merged, revision: 9 }) });
    await newContact();
    assert.equal((await built.profiles.findOne(accountId, merged))?.contact, null, 'late events leave nothing either');
  });
});
