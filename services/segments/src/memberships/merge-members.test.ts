import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, contactWith, publish, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const spent = { event: 'order_placed', sum: { of: 'value.amount', currency: 'EUR', gte: 500 }, in_last: 'P90D' };

test('activities of a merged contact', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const { accountId } = account;
  const order = (contactId: string, amount: number, daysAgo = 1) => ({
    event_id: newId('activity'),
    event: 'order_placed',
    visitor_id: 'v1',
    contact_id: contactId,
    time: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    properties: {},
    value: { amount, currency: 'EUR' },
    bot: false,
  });
  const [ada, double] = [contactWith(), contactWith()];
  await applyAll(parts, built, accountId, [ada, double]);
  const { data: segment } = await account.post('/v2/segments', { name: 'Spent 500', definition: spent });
  const { data: list } = await account.post('/v2/segments', { name: 'List', kind: 'static' });
  await untilReady(account, segment.id);
  const members = async (id: string): Promise<string[]> =>
    (await account.get(`/v2/segments/${id}/contacts`)).data.items.map((item: { id: string }) => item.id);
  const untilMembers = (id: string, expected: string[]) =>
    eventually(async () => JSON.stringify(await members(id)) === JSON.stringify(expected));
  const merge = (revision: number) => publish(parts, ContactDeleted, accountId, { contact_id: double.id, revision, merged_into: ada.id });

  await t.test('events sent as past ones count, with the cause `backfill`', async () => {
    await publish(parts, EventBackfilled, accountId, order(ada.id, 300, 60));
    await publish(parts, EventBackfilled, accountId, order(double.id, 500, 30));
    await publish(parts, EventBackfilled, accountId, order(ada.id, 900, 91));
    await untilMembers(segment.id, [double.id]);
    const { data } = await account.get(`/v2/segments/${segment.id}/changes`);
    assert.deepEqual([data.items[0].contact_id, data.items[0].cause], [double.id, 'backfill']);
  });

  await t.test('count for the survivor, including those that arrive later, and its static segments are those of both', async () => {
    await account.post(`/v2/segments/${list.id}/contacts`, { contacts: [{ id: double.id }] });
    await merge(2);
    await untilMembers(segment.id, [ada.id]);
    await untilMembers(list.id, [ada.id]);
    const { data: why } = await account.get(`/v2/segments/${segment.id}/contacts/${ada.id}`);
    assert.deepEqual([why.entered_cause, why.explanation.saw.value, why.explanation.saw.count], ['merge', 800, 2]);
    await publish(parts, EventTracked, accountId, order(double.id, 50));
    await eventually(async () => (await account.get(`/v2/segments/${segment.id}/contacts/${ada.id}`)).data.explanation.saw.value === 850);
    const { data: preview } = await account.post('/v2/segments/preview', { definition: spent });
    assert.equal(preview.count, 1);
  });

  await t.test('stop counting for it when the merge is undone', async () => {
    await publish(parts, ContactCreated, accountId, { contact: { ...double, revision: 3 } });
    await publish(parts, ContactUpdated, accountId, { contact: { ...ada, revision: 2 }, changed: [] });
    await untilMembers(segment.id, [double.id]);
    await untilMembers(list.id, [double.id]);
  });

  await t.test('removing the survivor from a static segment removes both contacts, even after the merge is undone', async () => {
    await merge(4);
    await untilMembers(list.id, [ada.id]);
    await account.call('DELETE', `/v2/segments/${list.id}/contacts`, { contacts: [{ id: ada.id }] });
    await publish(parts, ContactCreated, accountId, { contact: { ...double, revision: 5 } });
    await untilMembers(segment.id, [double.id]);
    assert.deepEqual(await members(list.id), []);
    await merge(6);
    await untilMembers(segment.id, [ada.id]);
    assert.deepEqual(await members(list.id), [], 'a later merge brings back nothing from before');
  });
});
