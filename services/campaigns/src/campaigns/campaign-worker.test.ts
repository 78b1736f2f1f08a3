import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, trustedId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { linkKeys, reconciliation, routesOnly, smallest } from '../../test/setting.ts';
import { newRecipient } from '../ledger/recipients/recipient-row.ts';
import { createStores } from '../stores.ts';
import { createCampaignWorker } from './campaign-worker.ts';
import { campaignsOf } from './campaigns-store.ts';

test('the ledger of a failed freeze adds up if the campaign is corrected, or taken over by another worker, while its rows are removed', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);
  const stores = createStores(
    { ...parts, publishAudience: async () => undefined },
    { LINK_KEYS: linkKeys, PUBLIC_URL: 'http://mail.test' },
  );
  const campaigns = campaignsOf(parts.mongo.db);
  const asOf = new Date();

  for (const [name, meanwhile] of [
    ['corrected', (id: string) => owner.put(`/v2/campaigns/${id}`, { name: 'Corrected' })],
    ['taken over', (id: string) => campaigns.updateOne({ _id: trustedId<'campaign'>(id) }, { $unset: { work_token: '' } })],
  ] as const) {
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const source = { account_id: owner.accountId, source: 'campaign' as const, source_id: id, source_key: id, content_id: id };
    const rows = ['contact_1', 'contact_2', 'contact_3'].map((one) =>
      newRecipient({ ...source, contact_id: trustedId<'contact'>(one) }, false, asOf),
    );
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.recipients.insert(tx, rows));
    await campaigns.updateOne({ _id: id }, { $set: { status: 'failed', audience_count: 3, work: 'discard', work_at: asOf } });
    let removals = 0;
    const worker = createCampaignWorker({
      ...{ mongo: parts.mongo, logger: parts.logger, leaseMs: 50, suspended: noneSuspended },
      ...stores,
      counters: {
        ...stores.counters,
        uncount: async (...args) => {
          removals += 1;
          if (removals === 1) await meanwhile(id);
          return stores.counters.uncount(...args);
        },
      },
      freezeAudience: () => assert.fail('it only removes rows'),
    });
    worker.start();
    await eventually(async () => (await reconciliation(owner, id)).sum === 0);
    await worker.stop();
    const { audience_count, reconciles } = await reconciliation(owner, id);
    assert.deepEqual([audience_count, reconciles], [0, true], name);
  }
});

test('a worker does not start a scheduled campaign that has begun to await approval since the worker claimed it', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);
  const stores = createStores(
    { ...parts, publishAudience: async () => undefined },
    { LINK_KEYS: linkKeys, PUBLIC_URL: 'http://mail.test' },
  );
  const { id } = (await owner.post('/v2/campaigns', smallest)).data;
  await owner.post(`/v2/campaigns/${id}/send`, { schedule_at: new Date(Date.now() + 3_600_000).toISOString() });
  const admin = owner.as({ principal_id: newId('user'), permission: 'admin' });
  await admin.put('/v2/campaigns/settings', { approval: 'always' });
  await campaignsOf(parts.mongo.db).updateOne({ _id: id }, { $set: { schedule_at: new Date(), work_at: new Date() } });
  let claims = 0;
  const worker = createCampaignWorker({
    ...{ mongo: parts.mongo, logger: parts.logger, leaseMs: 60_000, suspended: noneSuspended },
    ...stores,
    campaignsQueue: {
      ...stores.campaignsQueue,
      claim: async (...args) => {
        const claimed = await stores.campaignsQueue.claim(...args);
        if (claimed) assert.equal((await owner.post(`/v2/campaigns/${id}/send`)).data.status, 'awaiting_approval');
        claims += 1;
        return claimed;
      },
    },
    freezeAudience: () => assert.fail('nothing was approved'),
  });
  worker.start();
  await eventually(async () => claims >= 2);
  await worker.stop();
  assert.equal((await owner.get(`/v2/campaigns/${id}`)).data.status, 'awaiting_approval');
});
