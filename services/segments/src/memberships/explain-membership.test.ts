import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, backfillAll, contactWith, livingIn, origin } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const definition = {
  all: [
    { field: 'address.city', op: 'eq', value: 'Berlin' },
    { event: 'order_placed', count: { gte: 2 }, in_last: 'P7D' },
  ],
};
const day = (number: number) => new Date(Date.UTC(2026, 4, number));

test('GET /v2/segments/:id/contacts/:contact_id', async (t) => {
  let now = day(10);
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { clock: () => now }));
  const contactFor = async (accountId: AccountId) => {
    const contact = contactWith(livingIn('Berlin'));
    await applyAll(parts, built, accountId, [contact]);
    return contact.id;
  };
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) => {
      const { data } = await client.post('/v2/segments', { name: 'One', definition });
      return `/v2/segments/${data.id}/contacts/${await contactFor(client.accountId)}`;
    },
  });

  const account = testClient(app);
  const contactId = await contactFor(account.accountId);
  const { data: segment } = await account.post('/v2/segments', { name: 'Buyers in Berlin', definition });
  await backfillAll(built);
  const explain = async (id = contactId) => (await account.get(`/v2/segments/${segment.id}/contacts/${id}`)).data;
  const order = (time: Date) =>
    parts.mongo.transaction(origin(), (tx) =>
      built.applyActivities(tx, account.accountId, 'activity', [
        {
          contactId,
          activity: { id: newId('activity'), name: 'order_placed', time, properties: {}, machine: false },
          touchedIn: (index) => index.touchedByEvent('order_placed'),
        },
      ]),
    );

  await t.test('returns each condition with its value, before, during and after the membership', async () => {
    await order(day(8));
    const before = await explain();
    assert.deepEqual([before.member, before.entered_at, before.left_at, before.flips_at], [false, null, null, null]);
    const [inBerlin, hasOrders] = before.explanation.all;
    assert.deepEqual([inBerlin.matches, inBerlin.saw], [true, 'Berlin']);
    assert.deepEqual([hasOrders.matches, hasOrders.saw], [false, { count: 1, newest: day(8).toISOString() }]);

    now = day(11);
    await order(day(11));
    const during = await explain();
    assert.deepEqual([during.member, during.entered_at, during.flips_at], [true, day(11).toISOString(), day(15).toISOString()]);
    assert.equal(during.explanation.matches, true);

    now = day(15);
    assert.equal(await built.timer.settleDue(), 1);
    const after = await explain();
    assert.deepEqual([after.member, after.entered_at, after.left_at], [false, day(11).toISOString(), day(15).toISOString()]);
    assert.equal(after.explanation.matches, false);
  });

  await t.test('returns 404 for unknown contacts, those of another account, and deleted ones', async () => {
    const foreign = await contactFor(testClient(app).accountId);
    for (const id of ['contact_1', 'contact_01h455vb4pex5vsknk084sn02q', foreign]) {
      assert.equal((await account.get(`/v2/segments/${segment.id}/contacts/${id}`)).status, 404);
    }
    await parts.mongo.transaction(origin(), (tx) => built.contacts.applyDeletion(tx, account.accountId, { contactId, revision: 2 }));
    assert.equal((await account.get(`/v2/segments/${segment.id}/contacts/${contactId}`)).status, 404);
  });
});
