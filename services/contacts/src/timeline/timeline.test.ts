import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageClicked, MessageReclassified, MessageSent } from '@mp/contracts/events/campaigns';
import { ContactUpdated } from '@mp/contracts/events/contacts';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { publishEvent } from '../../test/publish-event.ts';
import { buildApp } from '../app.ts';

test('GET /v2/contacts/:id/timeline', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'contacts:read',
    url: async (client) => `/v2/contacts/${(await client.post('/v2/contacts', { email: 'ada@example.com' })).data.id}/timeline`,
  });

  const account = testClient(app);
  const { data: contact } = await account.post('/v2/contacts', { email: 'ada@example.com' });
  const { data: other } = await account.post('/v2/contacts', { email: 'bo@example.com' });
  const yesterday = Date.now() - 24 * 3_600_000;
  const at = (minute: number) => new Date(yesterday + minute * 60_000).toISOString();
  const message = (minute: number) => ({
    recipient_id: newId('recipient'),
    contact_id: contact.id,
    campaign_id: newId('campaign'),
    workflow_id: null,
    at: at(minute),
  });
  const run = { run_id: newId('run'), workflow_id: newId('workflow'), workflow_name: 'Welcome', contact_id: contact.id };
  const tracked = (minute: number, contactId: string | null, bot = false) => ({
    event_id: newId('activity'),
    event: 'order_placed',
    visitor_id: 'v1',
    contact_id: contactId,
    time: at(minute),
    properties: { total: 10 },
    value: null,
    bot,
  });
  const path = `/v2/contacts/${contact.id}/timeline`;
  const types = async (query = '') =>
    (await account.get(`${path}${query}`)).data.items.map(({ type }: { type: string }) => type.split('.').slice(1).join('.'));

  await t.test('lists events newest first, each once, regardless of the order in which they arrived', async () => {
    const click = { ...message(4), url: 'https://example.com', machine: false };
    await publishEvent(parts, account.accountId, { event: MessageClicked, data: click, id: 'evt_click0001' });
    await publishEvent(parts, account.accountId, { event: MessageSent, data: message(3) });
    const event = tracked(1, contact.id);
    await publishEvent(parts, account.accountId, { event: EventTracked, data: event });
    await publishEvent(parts, account.accountId, { event: EventAttributed, data: event });
    await publishEvent(parts, account.accountId, { event: EventTracked, data: tracked(2, contact.id, true) });
    await publishEvent(parts, account.accountId, { event: EventTracked, data: tracked(2, null) });
    await publishEvent(parts, account.accountId, { event: RunStarted, data: { ...run, at: at(2) } });
    await publishEvent(parts, account.accountId, { event: RunEnded, data: { ...run, at: at(6), state: 'completed', reason: null } });
    await publishEvent(parts, account.accountId, {
      event: MembershipEntered,
      data: {
        segment_id: newId('segment'),
        segment_name: 'Berlin',
        contact_id: contact.id,
        sequence: 1,
        at: at(5),
        cause: 'contact',
      },
    });
    await publishEvent(parts, account.accountId, { event: MessageSent, data: { ...message(3), contact_id: other.id } });
    await account.put(`/v2/contacts/${contact.id}/consent`, { sms: { status: 'subscribed' } });
    const expected = [
      'consent.changed',
      'run.ended',
      'membership.entered',
      'message.clicked',
      'message.sent',
      'run.started',
      'event.tracked',
    ];
    await eventually(async () => (await types()).length >= expected.length);
    assert.deepEqual(
      (await types()).map((type: string) => type.replace('event.attributed', 'event.tracked')),
      expected,
    );
    const { data } = await account.get(`${path}?kind=message&limit=1`);
    assert.deepEqual([data.items[0].facts.url, data.items[0].at, data.pagination.has_more], ['https://example.com', at(4), true]);
    assert.deepEqual(await types(`?kind=message&cursor=${data.pagination.next_cursor}`), ['message.sent']);
  });

  await t.test('has past events that were sent later, which do not change when the contact was last seen', async () => {
    const { data: buyer } = await account.post('/v2/contacts', { email: 'buyer@example.com' });
    await publishEvent(parts, account.accountId, { event: EventTracked, data: tracked(5, buyer.id) });
    const entries = async () => (await account.get(`/v2/contacts/${buyer.id}/timeline?kind=event`)).data.items;
    await eventually(async () => (await entries()).length === 1);
    await publishEvent(parts, account.accountId, { event: EventBackfilled, data: tracked(1, buyer.id) });
    await publishEvent(parts, account.accountId, { event: EventBackfilled, data: tracked(9, buyer.id) });
    await eventually(async () => (await entries()).length === 3);
    assert.deepEqual(
      (await entries()).map((entry: { at: string; type: string }) => [entry.at, entry.type]),
      [
        [at(9), 'leadpulse.event.backfilled'],
        [at(5), 'leadpulse.event.tracked'],
        [at(1), 'leadpulse.event.backfilled'],
      ],
    );
    assert.equal((await account.get(`/v2/contacts/${buyer.id}`)).data.last_seen_at, at(5));
  });

  await t.test('a click reclassified as machine is corrected in place, regardless of which event arrives first', async () => {
    const { data: clicker } = await account.post('/v2/contacts', { email: 'clicker@example.com' });
    const click = { ...message(4), contact_id: clicker.id, url: 'https://example.com', machine: false };
    const { url: _, ...about } = click;
    const correct = (event_id: string) =>
      publishEvent(parts, account.accountId, {
        event: MessageReclassified,
        data: { ...about, event_id, activity: 'clicked', machine: true },
      });
    await publishEvent(parts, account.accountId, { event: MessageClicked, data: click, id: 'evt_click0002' });
    await correct('evt_click0002');
    await correct('evt_click0003');
    await publishEvent(parts, account.accountId, { event: MessageClicked, data: click, id: 'evt_click0003' });
    await eventually(async () => {
      const { data } = await account.get(`/v2/contacts/${clicker.id}/timeline`);
      return data.items.length === 2 && data.items.every(({ facts }: { facts: { machine: boolean } }) => facts.machine);
    });
  });

  await t.test('updates last_seen_at to the hour, but not for bots, late events or events of the services', async () => {
    const lastSeen = async () => (await account.get(`/v2/contacts/${contact.id}`)).data.last_seen_at;
    assert.equal(await lastSeen(), at(1));
    const revisionOf = async () => (await account.get(`/v2/contacts/${contact.id}`)).data.revision;
    const before = await revisionOf();
    const read = await account.get(`/v2/contacts/${contact.id}`);
    for (const event of [tracked(-30, contact.id), tracked(60, contact.id), tracked(90, contact.id, true)])
      await publishEvent(parts, account.accountId, { event: EventTracked, data: event });
    await publishEvent(parts, account.accountId, { event: EventTracked, data: tracked(61, contact.id) });
    await eventually(async () => (await lastSeen()) === at(61));
    assert.equal(await revisionOf(), before + 1);
    const updated = (await writtenEvents(parts.mongo.db, { subject: ContactUpdated.subject })).findLast(({ envelope }) =>
      envelope.data.changed.includes('last_seen_at'),
    );
    assert.deepEqual([updated?.envelope.data.changed, updated?.envelope.data.contact.last_seen_at], [['last_seen_at'], at(61)]);

    // A contact read in the meantime can be sent back, because fields that change on their own are ignored.
    const edited = { ...read.data, job_title: 'Analyst' };
    const strict = await account.put(`/v2/contacts/${contact.id}`, edited, { 'if-match': String(read.headers.etag) });
    assert.equal(strict.status, 412);
    const put = await account.put(`/v2/contacts/${contact.id}`, edited);
    assert.deepEqual([put.status, put.data.job_title, put.data.last_seen_at, put.data.revision], [200, 'Analyst', at(61), before + 2]);
    const forged = await account.put(`/v2/contacts/${contact.id}`, {
      ...put.data,
      last_seen_at: at(600),
      revision: 99,
      updated_at: at(600),
    });
    assert.deepEqual([forged.status, forged.data], [200, put.data]);
  });

  await t.test('a visitor identified late gets its newest event first, and not one revision per hour', async () => {
    const { data: regular } = await account.post('/v2/contacts', { email: 'regular@example.com' });
    const hours = 90;
    for (let hour = hours; hour > 0; hour -= 1)
      await publishEvent(parts, account.accountId, { event: EventAttributed, data: tracked(hour * 60 - 6_000, regular.id) });
    await eventually(async () => (await parts.mongo.db.collection('timeline').countDocuments({ contact_id: regular.id })) === hours);
    const { data: seen } = await account.get(`/v2/contacts/${regular.id}`);
    assert.equal(seen.last_seen_at, at(hours * 60 - 6_000));
    assert.ok(seen.revision <= 20, `${seen.revision} revisions`);
  });

  await t.test('covers both contacts after a merge, and is deleted when the contact is erased', async () => {
    await eventually(async () => (await account.get(`/v2/contacts/${other.id}/timeline`)).data.items.length === 1);
    const { data: merge } = await account.post(`/v2/contacts/${contact.id}/merge`, { source_id: other.id });
    assert.deepEqual((await types()).length, 12, 'its own ten, the merge, and one of the other contact');
    assert.equal((await account.post(`/v2/contacts/${contact.id}/merges/${merge.merge_id}/undo`)).status, 200);
    assert.equal((await account.get(`/v2/contacts/${other.id}/timeline?kind=message`)).data.items.length, 1);
    assert.equal((await account.post(`/v2/contacts/${contact.id}/erase`)).status, 202);
    await eventually(async () => (await parts.mongo.db.collection('timeline').countDocuments({ contact_id: contact.id })) === 0);
  });
});
