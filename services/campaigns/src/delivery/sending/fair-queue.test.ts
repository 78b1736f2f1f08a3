import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, type CampaignId, newId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testParts } from '@mp/test-kit/test-parts';
import { createCampaignsQueue } from '../../campaigns/campaigns-queue.ts';
import { campaignsOf, createCampaignsStore } from '../../campaigns/campaigns-store.ts';
import { createPublishAudience } from '../../campaigns/publish-audience.ts';
import { newRecipient } from '../../ledger/recipients/recipient-row.ts';
import { createRecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';
import { createRecipientsStore } from '../../ledger/recipients/recipients-store.ts';
import { createFairQueue } from './fair-queue.ts';

const row = { source: 'campaign' } as const;

test('serves all lanes in turn, even if one refresh cannot read all of them', async (t) => {
  const { mongo, cursors, outbox } = await testParts(t, 'campaigns');
  await createCampaignsStore(mongo.db, cursors, createPublishAudience(outbox), outbox).prepare();
  const recipients = createRecipientsStore(mongo.db, cursors);
  await recipients.prepare();
  const ids = Array.from({ length: 7 }, () => newId('campaign'));
  const accounts = Array.from({ length: 7 }, () => newId('account'));
  const campaigns = mongo.db.collection<{ _id: string }>(campaignsOf(mongo.db).collectionName);
  await campaigns.insertMany(ids.map((_id, index) => ({ _id, account_id: accounts[index % 3], throttle_per_minute: null, work: 'send' })));
  const rows = accounts.map((account_id) =>
    newRecipient(
      {
        account_id,
        source: 'workflow',
        source_id: newId('workflow'),
        source_key: newId('run'),
        contact_id: newId('contact'),
        content_id: newId('workflow'),
        run_id: newId('run'),
      },
      false,
      new Date(),
    ),
  );
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));
  const lanes = createFairQueue(
    {
      campaigns: createCampaignsQueue(mongo.db),
      queue: createRecipientsQueue(mongo.db),
      suspended: noneSuspended,
      paused: async () => new Set<AccountId>(),
    },
    { campaigns: 2, accounts: 3 },
  );

  /**
   * The lanes that are served. Four refreshes read everything; on a busy machine, a refresh may come before all lanes of
   * the last one were served.
   */
  async function turns(count: number) {
    const keys = new Set<string>();
    for (let look = 0; look < 400 && keys.size < count; look += 1) {
      lanes.refresh();
      for (let turn = 0; turn < 10; turn += 1) keys.add((await lanes.next())?.key ?? '');
    }
    return keys;
  }

  await t.test('serves every campaign and every account repeatedly', async () => {
    const everybody = [...ids, ...accounts.map((account) => `workflows of ${account}`)].sort();
    for (const _ of [1, 2]) assert.deepEqual([...(await turns(everybody.length))].sort(), everybody);
  });

  await t.test('a lane that the latest refresh did not read stays open while it is being sent', async () => {
    const [first = newId('campaign'), second = first] = ids;
    const lane = (campaignId: CampaignId, index: number) => ({
      key: campaignId,
      accountId: accounts[index] ?? newId('account'),
      campaignId,
    });
    for (let look = 0; look < 4; look += 1) {
      lanes.refresh();
      assert.equal(await lanes.isOpen(lane(first, 0), row), true);
    }
    await campaigns.updateOne({ _id: second }, { $unset: { work: '' } });
    for (let look = 0; look < 4; look += 1) {
      lanes.refresh();
      assert.equal(await lanes.isOpen(lane(second, 1), row), false);
    }
  });
});

test('a refresh while the lanes are being read is not lost', async () => {
  const accountId = newId('account');
  const lane = { key: 'one', accountId, campaignId: newId('campaign'), throttlePerMinute: null };
  let open = [lane];
  const reads = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let read = 0;
  const none = async () => ({ accountIds: [], last: null });
  const lanes = createFairQueue({
    campaigns: {
      async sending() {
        const seen = open;
        await reads[read++]?.promise;
        return { lanes: seen, last: null };
      },
      isSending: async () => false,
    },
    queue: { accountsWithWorkflowMessages: none, accountsWithMessages: none, hasLaterMessages: async () => false },
    suspended: noneSuspended,
    paused: async () => new Set<AccountId>(),
  });
  const opening = lanes.isOpen(lane, row);
  open = [];
  lanes.refresh();
  for (const { resolve } of reads) resolve();
  assert.equal(await opening, false, 'the campaign was paused before the read ended');
});
