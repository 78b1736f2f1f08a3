import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MembershipEntered } from '@mp/contracts/events/segments';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { buildApp } from '../src/app.ts';
import { applyAll, backfillAll, contactWith, livingIn, origin } from './contacts.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };

test('no change is missed by a new segment whose backfill has already passed', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);

  /**
   * Runs a change whose first attempt has read the data before the segment existed, and continues only when the
   * segment's backfill has processed every contact.
   */
  async function race(accountId: AccountId, change: (tx: Transaction) => Promise<void>) {
    const account = testClient(app, { account_id: accountId });
    const looked = Promise.withResolvers<void>();
    const backfilled = Promise.withResolvers<void>();
    let attempts = 0;
    const changing = parts.mongo.transaction(origin(), async (tx) => {
      attempts += 1;
      if (attempts === 1) {
        assert.equal(await built.segments.definitionsVersion(tx, accountId), 0);
        looked.resolve();
        await backfilled.promise;
      }
      await change(tx);
    });
    await looked.promise;
    const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    await backfillAll(built);
    assert.equal((await account.get(`/v2/segments/${segment.id}`)).data.status, 'ready');
    backfilled.resolve();
    await changing;
    assert.ok(attempts > 1, 'the change had to restart');
    const { data } = await account.get(`/v2/segments/${segment.id}/contacts`);
    const { length: entered } = await writtenEvents(parts.mongo.db, { accountId, subject: MembershipEntered.subject });
    return { members: data.items.map(({ id }: { id: string }) => id), entered };
  }

  await t.test('a contact that now matches', async () => {
    const { accountId } = testClient(app);
    const contact = contactWith(livingIn('Bonn'));
    await applyAll(parts, built, accountId, [contact]);
    const moved = { ...contact, ...livingIn('Berlin'), revision: 2 };
    const { members, entered } = await race(accountId, (tx) => built.contacts.apply(tx, accountId, [moved]));
    assert.deepEqual([members, entered], [[contact.id], 1]);
  });

  await t.test('a contact that no longer matches', async () => {
    const { accountId } = testClient(app);
    const contact = contactWith(livingIn('Berlin'));
    await applyAll(parts, built, accountId, [contact]);
    const moved = { ...contact, ...livingIn('Bonn'), revision: 2 };
    const { members, entered } = await race(accountId, (tx) => built.contacts.apply(tx, accountId, [moved]));
    assert.deepEqual([members, entered], [[], 1]);
  });

  await t.test('a new contact', async () => {
    const { accountId } = testClient(app);
    const contact = contactWith(livingIn('Berlin'));
    const { members, entered } = await race(accountId, (tx) => built.contacts.apply(tx, accountId, [contact]));
    assert.deepEqual([members, entered], [[contact.id], 1]);
  });

  await t.test('a new contact whose empty row existed', async () => {
    const { accountId } = testClient(app);
    const contact = contactWith(livingIn('Berlin'));
    await parts.mongo.transaction(origin(), async (tx) => {
      await built.profiles.touch(tx, accountId, [contact.id], new Date());
    });
    const { members, entered } = await race(accountId, (tx) => built.contacts.apply(tx, accountId, [contact]));
    assert.deepEqual([members, entered], [[contact.id], 1]);
  });
});

test('a segment created, changed and filled on two replicas while contacts change misses no contact', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, (own) => buildApp(own, { chunkSize: 3 }));
  const account = testClient(app);
  const { accountId } = account;
  const contacts = Array.from({ length: 120 }, (_, index) => contactWith(livingIn(index % 3 === 0 ? 'Berlin' : 'Bonn')));
  await applyAll(parts, built, accountId, contacts.slice(0, 60));

  const apply = (contact: (typeof contacts)[number]) =>
    parts.mongo.transaction(origin(), (tx) => built.contacts.apply(tx, accountId, [contact]), { limitMs: 30_000 });
  const [coming] = await Promise.all([
    Promise.all(
      contacts.map(async (contact, index) => {
        await apply(contact);
        const moved = { ...contact, ...livingIn(index % 2 === 0 ? 'Berlin' : 'Bonn'), revision: 2 };
        await apply(moved);
        return moved;
      }),
    ),
    (async () => {
      const { data } = await account.post('/v2/segments', { name: 'Moving', definition: berlin });
      await Promise.all([backfillAll(built), backfillAll(built)]);
      await account.put(`/v2/segments/${data.id}`, { definition: { not: berlin } });
      await Promise.all([backfillAll(built), backfillAll(built)]);
      await account.put(`/v2/segments/${data.id}`, { definition: berlin });
    })(),
  ]);
  const { id } = (await account.get('/v2/segments')).data.items[0];
  // A chunk with too many conflicts is delayed for a moment before it is retried.
  for (let ready = false; !ready; ready = (await account.get(`/v2/segments/${id}`)).data.status === 'ready') await backfillAll(built);

  const expected = coming.filter((contact) => contact.address?.city === 'Berlin').map((contact) => contact.id);
  const first = await account.get(`/v2/segments/${id}/contacts?limit=100`);
  assert.deepEqual(first.data.items.map((item: { id: string }) => item.id).sort(), expected.sort());
  assert.equal((await account.get(`/v2/segments/${id}`)).data.count, expected.length);
});
