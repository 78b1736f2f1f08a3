import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, origin } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const hourMs = 3_600_000;
const begin = Date.parse('2026-05-01T00:00:00.000Z');
const abandoned = { sequence: [{ event: 'added_to_cart' }, { not_event: 'order_placed' }], within: 'P1D', in_last: 'P7D' };
const bought = { sequence: [{ event: 'added_to_cart' }, { event: 'order_placed' }], within: 'P1D' };

test('segments by a sequence of events', async (t) => {
  let now = new Date(begin);
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) =>
    buildApp({ ...own, metrics: createMetrics('segments') }, { clock: () => now }),
  );
  const account = testClient(app);
  const contact = contactWith();
  await applyAll(parts, built, account.accountId, [contact]);

  const act = (name: string, hours: number, cause: 'activity' | 'backfill' = 'activity') =>
    parts.mongo.transaction(origin(), (tx) =>
      built.applyActivities(tx, account.accountId, cause, [
        {
          contactId: contact.id,
          activity: { id: newId('activity'), name, time: new Date(begin + hours * hourMs), properties: {}, machine: false },
          touchedIn: (index) => index.touchedByEvent(name),
        },
      ]),
    );
  async function waitUntil(hours: number) {
    now = new Date(begin + hours * hourMs);
    while ((await built.timer.settleDue()) > 0);
  }
  async function segment(name: string, definition: object): Promise<string> {
    const { data } = await account.post('/v2/segments', { name, definition });
    await backfillAll(built);
    return data.id;
  }
  const size = async (id: string, asOf = '') => (await account.get(`/v2/segments/${id}/contacts${asOf}`)).data.items.length;

  await t.test('a contact that did not buy enters when the time is up, and leaves when the order arrives late', async () => {
    const id = await segment('Abandoned', abandoned);
    await act('added_to_cart', 0);
    const waiting = (await account.get(`/v2/segments/${id}/contacts/${contact.id}`)).data;
    assert.deepEqual([waiting.member, waiting.flips_at], [false, '2026-05-02T00:00:00.000Z']);
    await waitUntil(23);
    assert.equal(await size(id), 0);
    await waitUntil(24);
    assert.equal(await size(id), 1);
    const preview = await account.post('/v2/segments/preview', { definition: abandoned });
    assert.deepEqual([preview.data.count, preview.data.exact], [1, true]);
    await waitUntil(30);
    await act('order_placed', 20, 'backfill');
    assert.equal(await size(id), 0);
    assert.equal(await size(id, '?as_of=2026-05-02T03:00:00.000Z'), 1, 'as of a moment, the members of that moment');
    const { data } = await account.get(`/v2/segments/${id}/contacts/${contact.id}`);
    assert.deepEqual([data.left_cause, data.explanation.saw], ['backfill', { count: 0, newest: null }]);
  });

  await t.test('a contact that bought enters with the last event of the sequence', async () => {
    const id = await segment('Bought', { ...bought, in_last: 'P7D' });
    assert.equal(await size(id), 1, 'the past counts');
    await waitUntil(7 * 24);
    assert.equal(await size(id), 0, 'the first event has left in_last');
    await act('added_to_cart', 7 * 24);
    assert.equal(await size(id), 0);
    await act('order_placed', 7 * 24 + 1);
    assert.equal(await size(id), 1);
  });

  await t.test('rejects a sequence without a window', async () => {
    const { within: _, ...definition } = bought;
    const { status, error } = await account.post('/v2/segments', { name: 'Unlimited', definition });
    assert.deepEqual([status, error.details[0].path], [400, '/definition/within']);
    assert.match(error.details[0].message, /A sequence needs within, such as "P7D"/);
  });
});
