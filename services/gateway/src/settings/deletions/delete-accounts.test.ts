import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignsAccountErased } from '@mp/contracts/events/campaigns';
import { ContactsAccountErased } from '@mp/contracts/events/contacts';
import { LeadpulseAccountErased } from '@mp/contracts/events/leadpulse';
import { AccountErased } from '@mp/contracts/events/platform';
import { SegmentsAccountErased } from '@mp/contracts/events/segments';
import { WorkflowsAccountErased } from '@mp/contracts/events/workflows';
import { streams } from '@mp/contracts/streams';
import { createAccountErasure } from '@mp/erasures/account-erasure';
import type { AccountId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { newAccount } from '../accounts/account.ts';
import { createStores } from '../stores.ts';
import { deletionView } from './account-deletion.ts';
import { createDeleteAccounts } from './delete-accounts.ts';
import { onAccountErased } from './on-account-erased.ts';
import { cancelDeletion, scheduleDeletion } from './schedule-deletion.ts';

const events = {
  contacts: ContactsAccountErased,
  segments: SegmentsAccountErased,
  campaigns: CampaignsAccountErased,
  leadpulse: LeadpulseAccountErased,
  workflows: WorkflowsAccountErased,
};
const origin = { correlationId: 'test', causationId: null };

test('the deletion of an account', async (t) => {
  const parts = await testParts(t, 'gateway');
  const stores = createStores(parts);
  await stores.prepare();
  const deletions = stores.accountDeletions;
  const account = await stores.accounts.ensure(newAccount({ name: 'gone', plan: 'starter' }));
  const services = await Promise.all(
    Object.entries(events).map(async ([name, event]) => {
      const own = await testParts(t, name);
      await own.mongo.db.collection<{ _id: string; account_id: AccountId }>('things').insertOne({ _id: name, account_id: account.id });
      return { own, erasure: createAccountErasure(own, event, 0) };
    }),
  );
  const background = createDeleteAccounts(parts, { deletions, waitMs: 0 });
  const consumers = onAccountErased(parts, deletions);
  const all = [...services.map(({ own }) => own), parts];
  const started = [...background, ...services.map(({ erasure }) => erasure.background)];
  const consuming = [...consumers, ...services.map(({ erasure }) => erasure.consumer)];
  t.after(async () => {
    await Promise.all([...started, ...consuming].map((one) => one.stop()));
    await Promise.all(all.map(({ relay }) => relay.stop()));
  });
  for (const { broker, relay } of all) {
    broker.start();
    relay.start();
  }
  for (const one of [...started, ...consuming]) one.start();
  const schedule = (eraseAt: Date) => parts.mongo.transaction(origin, (tx) => scheduleDeletion(tx, stores, account, eraseAt));
  const statusOf = async () => (await stores.accounts.find(account.id))?.status;

  await t.test('suspends it, waits until the grace period is over, and can be cancelled until then', async () => {
    await schedule(new Date(Date.now() + 3_600_000));
    await schedule(new Date());
    assert.deepEqual([await statusOf(), (await deletions.find(account.id))?.status], ['suspended', 'scheduled']);
    assert.equal(await deletions.oldestOpenSeconds(), 0);
    assert.equal(Math.round((await deletions.oldestOpenSeconds(new Date(Date.now() + 3_610_000))) / 10), 1);
    assert.equal(await deletions.claim(), undefined, 'the second one changed nothing');
    assert.equal(await parts.mongo.transaction(origin, (tx) => cancelDeletion(tx, stores, account)), true);
    assert.deepEqual([await statusOf(), await deletions.find(account.id)], ['active', undefined]);
    assert.equal(await parts.mongo.transaction(origin, (tx) => cancelDeletion(tx, stores, account)), false);
  });

  await t.test('erases it in every service, then in the gateway and in the streams, and keeps the receipt', async () => {
    await schedule(new Date());
    const deletion = await eventually(async () => {
      const found = await deletions.find(account.id);
      return found?.status === 'completed' ? found : undefined;
    });
    assert.equal(await deletions.oldestOpenSeconds(), 0);
    const { receipts } = deletionView(deletion);
    assert.deepEqual(receipts.contacts?.removed, { things: 1 });
    assert.ok((receipts.gateway?.removed.accounts ?? 0) === 1 && (receipts.gateway?.removed.audit_log ?? 0) >= 3);
    assert.equal(Object.values(receipts).filter((receipt) => receipt !== null).length, 6);
    assert.equal(await parts.mongo.transaction(origin, (tx) => cancelDeletion(tx, stores, account)), false, 'it is too late');
    await eventually(async () => {
      const kept: string[] = [];
      for (const { mongo } of all)
        for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray())
          if (JSON.stringify(await mongo.db.collection(name).find().toArray()).includes(account.id)) kept.push(name);
      return kept.every((name) => name === 'account_erasures' || name === 'account_deletions');
    });
    const types = new Set<string>();
    for (const stream of Object.values(streams))
      await parts.broker.readSince(stream, new Date(0), async (payload) => {
        if (payload.includes(account.id)) types.add(JSON.parse(payload).type);
      });
    assert.deepEqual([...types], [AccountErased.type], 'which a restore repeats');
  });
});
