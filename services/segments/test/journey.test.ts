import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { buildApp } from '../src/app.ts';
import { contactWith, livingIn, publish, untilReady } from './contacts.ts';

const berlin = { name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] } };

test('a contact enters a segment through events', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const account = testClient(app);
  const members = async (id: string) => (await account.get(`/v2/segments/${id}/contacts`)).data.items;
  const entered = (id: string) => events.next(MembershipEntered, ({ data }) => data.contact_id === id);
  const left = (id: string) => events.next(MembershipLeft, ({ data }) => data.contact_id === id);

  const before = contactWith({ ...livingIn('Berlin'), first_name: 'Ada' });
  await publish(parts, ContactCreated, account.accountId, { contact: before });
  const created = await account.post('/v2/segments', berlin);
  assert.equal(created.status, 201, created.text);
  const segmentId: string = created.data.id;

  await t.test('existing contacts enter through the backfill', async () => {
    const event = await entered(before.id);
    assert.deepEqual([event.data.segment_id, event.data.segment_name, event.data.sequence], [segmentId, 'Berlin', 1]);
    await untilReady(account, segmentId);
    const [member] = await members(segmentId);
    assert.deepEqual(
      [member.id, member.email, member.first_name, member.last_name, member.created_at, member.entered_at],
      [before.id, before.email, 'Ada', null, before.created_at, event.data.at],
    );
  });

  const late = contactWith(livingIn('Bonn'));
  await t.test('contacts created or changed later enter through their own event, and leave when they no longer match', async () => {
    await publish(parts, ContactCreated, account.accountId, { contact: late });
    const moved = { ...late, ...livingIn('berlin'), revision: 2 };
    await publish(parts, ContactUpdated, account.accountId, { contact: moved, changed: ['address.city'] });
    const event = await entered(late.id);
    assert.equal(event.data.cause, 'contact');
    assert.equal((await members(segmentId)).length, 2);
    await publish(parts, ContactUpdated, account.accountId, {
      contact: { ...moved, ...livingIn('Köln'), revision: 3 },
      changed: ['address.city'],
    });
    assert.deepEqual([(await left(late.id)).data.sequence, (await left(late.id)).data.cause], [2, 'contact']);
    await eventually(async () => (await account.get(`/v2/segments/${segmentId}`)).data.count === 1);
  });

  await t.test('a deleted contact leaves, and a late update does not restore it', async () => {
    await publish(parts, ContactDeleted, account.accountId, { contact_id: before.id, revision: 2 });
    assert.equal((await left(before.id)).data.cause, 'deletion');
    await publish(parts, ContactUpdated, account.accountId, { contact: { ...before, revision: 2 }, changed: ['tags'] });
    const marker = contactWith(livingIn('Berlin'));
    await publish(parts, ContactCreated, account.accountId, { contact: marker });
    await entered(marker.id);
    await eventually(async () => (await members(segmentId)).length === 1);
    assert.equal((await members(segmentId))[0].id, marker.id);
  });

  await t.test('members leave a deleted segment', async () => {
    const marker = (await members(segmentId))[0].id;
    const gone = await account.delete(`/v2/segments/${segmentId}`);
    assert.deepEqual([gone.status, gone.data], [200, { id: segmentId, deleted: true }]);
    assert.equal((await account.get(`/v2/segments/${segmentId}`)).status, 404);
    assert.equal((await left(marker)).data.cause, 'deletion');
  });
});
