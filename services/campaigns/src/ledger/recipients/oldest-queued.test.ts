import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CampaignId, newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { metric } from '@mp/test-kit/metric';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from '../../../test/setting.ts';
import { campaignsOf } from '../../campaigns/campaigns-store.ts';
import { type NewRecipient, newRecipient, recipientsOf } from './recipient-row.ts';

test('a metric shows how long the oldest email that could be sent now has waited: of messages, workflows and campaigns', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const account = testClient(app);
  const id: CampaignId = (await account.post('/v2/campaigns', smallest)).data.id;
  const campaigns = campaignsOf(parts.mongo.db);
  const recipients = recipientsOf(parts.mongo.db);
  const kinds = ['message', 'workflow', 'campaign'];
  const minutes = async () => {
    const values = kinds.map((kind) => metric(parts, `campaign_oldest_queued_email_seconds{kind="${kind}"`));
    return (await Promise.all(values)).map((seconds) => Math.round(seconds / 60));
  };
  const waitingFor = (age: number, row: Omit<NewRecipient, 'account_id' | 'contact_id' | 'content_id' | 'source_key'>) => {
    const own = { account_id: account.accountId, contact_id: newId('contact'), content_id: id, source_key: newId('event') };
    return recipients.insertOne(newRecipient({ ...own, ...row }, false, new Date(Date.now() - age * 60_000)));
  };

  assert.deepEqual(await minutes(), [0, 0, 0]);
  await waitingFor(5, { source: 'message', source_id: 'messages', category: 'transactional' });
  for (const age of [10, 20]) await waitingFor(age, { source: 'workflow', source_id: newId('workflow'), run_id: newId('run') });
  for (const age of [30, 40]) await waitingFor(age, { source: 'campaign', source_id: id });
  assert.deepEqual(await minutes(), [5, 20, 0], 'the campaign is a draft');
  const set = (change: object) => campaigns.updateOne({ _id: id, account_id: account.accountId }, { $set: change });
  await set({ status: 'sending', work: 'send', throttle_per_minute: null });
  assert.deepEqual(await minutes(), [5, 20, 40]);
  await set({ throttle_per_minute: 1 });
  assert.deepEqual(await minutes(), [5, 20, 0], 'a throttled campaign waits for a reason');
  await set({ throttle_per_minute: null });
  await recipients.updateMany({}, { $set: { state: 'sent' }, $unset: { due_at: '' } });
  assert.deepEqual(await minutes(), [0, 0, 0]);
});
