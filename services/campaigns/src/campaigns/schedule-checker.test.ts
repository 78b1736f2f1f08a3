import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CampaignProblemFound } from '@mp/contracts/events/campaigns';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { read, routesOnly, smallest } from '../../test/setting.ts';
import { createRequireSender } from '../delivery/senders/require-sender.ts';
import { createScheduleChecker } from './schedule-checker.ts';

test('a problem of a sender is found although the check of another campaign fails, and not for suspended accounts', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const [failing, suspended, owner] = [testClient(app), testClient(app), testClient(app)];
  const schedule = async (client: Client) => {
    const { id } = (await client.post('/v2/campaigns', smallest)).data;
    await client.post(`/v2/campaigns/${id}/send`, { schedule_at: new Date(Date.now() + 3_600_000).toISOString() });
    return id;
  };
  await schedule(failing);
  const skipped = await schedule(suspended);
  const id = await schedule(owner);
  let fault: string | undefined = 'The domain example.com is not verified.';
  const checker = createScheduleChecker({
    ...{ mongo: parts.mongo, outbox: parts.outbox, logger: parts.logger, everyMs: 20 },
    suspended: { has: (accountId) => accountId === suspended.accountId, all: () => [suspended.accountId] },
    requireSegments: async (accountId) => {
      if (accountId === failing.accountId) throw new Error('The segments cannot be read.');
      return [];
    },
    requireSender: createRequireSender(async () => fault),
  });
  checker.start();
  t.after(checker.stop);
  await eventually(async () => (await read(owner, id)).problem === fault);
  assert.equal((await read(suspended, skipped)).problem, null);
  fault = undefined;
  await eventually(async () => (await read(owner, id)).problem === null);
  const events = await writtenEvents(parts.mongo.db, { subject: CampaignProblemFound.subject });
  assert.deepEqual(
    events.map(({ envelope: { data } }) => data.campaign_id),
    [id],
    'published once',
  );
});
