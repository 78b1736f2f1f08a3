import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { metric } from '@mp/test-kit/metric';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { writtenEvents } from '@mp/test-kit/written-events';
import { applyAll, backfillAll, contactWith } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const definition = { date: 'created_at', op: 'in_last', value: 'P7D' };
const created = new Date('2026-05-01T10:00:00.000Z');
const flips = new Date('2026-05-08T10:00:00.000Z');

test('the passage of time alone changes a membership at exactly the due time', async (t) => {
  let now = created;
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { clock: () => now }));
  const account = testClient(app);
  const contact = contactWith({ created_at: created.toISOString() });
  const { data: segment } = await account.post('/v2/segments', { name: 'New', definition });
  await backfillAll(built);
  await applyAll(parts, built, account.accountId, [contact]);
  const explained = async () => (await account.get(`/v2/segments/${segment.id}/contacts/${contact.id}`)).data;
  const due = () => built.due.of(account.accountId, contact.id);
  const overdue = () => metric(parts, 'segment_oldest_overdue_evaluation_seconds');

  await t.test('it does not change a millisecond earlier', async () => {
    assert.deepEqual(await due(), [{ segmentId: segment.id, dueAt: flips }]);
    now = new Date(flips.getTime() - 1);
    assert.equal(await built.timer.settleDue(), 0);
    assert.equal((await explained()).member, true);
    assert.equal(await overdue(), 0);
  });

  await t.test('until then, a metric shows how long it has been due', async () => {
    now = new Date(flips.getTime() + 90_000);
    assert.equal(await overdue(), 90);
  });

  await t.test('it changes once, by one of several timers', async () => {
    now = flips;
    const settled = await Promise.all([built.timer.settleDue(), built.timer.settleDue()]);
    assert.equal(settled[0] + settled[1], 1);
    const { member, left_at } = await explained();
    assert.deepEqual([member, left_at], [false, flips.toISOString()]);
    const left = await writtenEvents(parts.mongo.db, { accountId: account.accountId, subject: MembershipLeft.subject });
    assert.deepEqual(
      left.map(({ envelope }) => envelope.data.cause),
      ['time'],
    );
    assert.deepEqual(await due(), []);
    assert.equal(await overdue(), 0);
  });

  await t.test('it does not change for deleted segments and contacts', async () => {
    const later = contactWith({ created_at: now.toISOString() });
    await applyAll(parts, built, account.accountId, [later]);
    await account.delete(`/v2/segments/${segment.id}`);
    assert.equal((await built.due.of(account.accountId, later.id)).length, 1);
    now = new Date('2026-06-01T00:00:00.000Z');
    assert.equal(await built.timer.settleDue(), 1);
    assert.equal((await built.due.of(account.accountId, later.id)).length, 0);
  });
});

test('a running timer fires on its own, including for pairs that another replica wrote', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const events = await listenToEvents(t);
  const account = testClient(app);
  const { data: segment } = await account.post('/v2/segments', {
    name: 'Just now',
    definition: { date: 'created_at', op: 'in_last', value: 'PT2S' },
  });
  await eventually(async () => (await account.get(`/v2/segments/${segment.id}`)).data.status === 'ready');
  const contact = contactWith({ created_at: new Date().toISOString() });
  const { built } = buildApp({ ...parts, metrics: createMetrics('segments') });
  await applyAll(parts, built, account.accountId, [contact]);
  await events.next(MembershipEntered, ({ data }) => data.contact_id === contact.id);
  const { data } = await events.next(MembershipLeft, ({ data }) => data.contact_id === contact.id);
  assert.ok(new Date(data.at).getTime() >= new Date(contact.created_at).getTime() + 2_000, 'not before the due time');
});
