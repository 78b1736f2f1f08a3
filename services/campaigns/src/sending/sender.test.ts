import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/parts';
import { quickPace } from '../../test/setting.ts';
import { createCampaignsQueue } from '../campaigns/campaigns-queue.ts';
import { campaignsOf, createCampaignsStore } from '../campaigns/campaigns-store.ts';
import { createPublishAudience } from '../campaigns/publish-audience.ts';
import { createSuppressionsStore } from '../contactables/suppressions-store.ts';
import { createRecipientsQueue } from '../recipients/recipients-queue.ts';
import { createRecipientsStore, newRecipient } from '../recipients/recipients-store.ts';
import { createRecordOutcomes } from '../recipients/record-outcomes.ts';
import { createSender } from './sender.ts';

test('a batch of which one write failed stays in work until the last of its mails is decided', async (t) => {
  const { mongo, cursors, outbox, logger } = await testParts(t, 'campaigns');
  const suppressions = createSuppressionsStore(mongo.db);
  const recipients = createRecipientsStore(mongo.db, cursors);
  for (const store of [createCampaignsStore(mongo.db, cursors, createPublishAudience(outbox)), recipients, suppressions])
    await store.prepare();
  const [id, accountId] = [newId('campaign'), newId('account')];
  await mongo.db
    .collection<{ _id: string }>(campaignsOf(mongo.db).collectionName)
    .insertOne({ _id: id, account_id: accountId, throttle_per_minute: null, work: 'send' } as { _id: string });
  const source = { account_id: accountId, source: 'campaign', source_id: id, source_key: id, content_id: id } as const;
  const rows = Array.from({ length: 10 }, () => newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()));
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));

  const queue = createRecipientsQueue(mongo.db);
  let writes = 0;
  let delivering = 0;
  const serverAnswers = Promise.withResolvers<void>();
  const sender = createSender(
    {
      campaigns: createCampaignsQueue(mongo.db),
      queue: {
        ...queue,
        async startSending(...args) {
          writes += 1;
          if (writes === 1) throw new Error('the first write fails');
          return queue.startSending(...args);
        },
      },
      prepareBatch: async (claimed) => ({
        ready: claimed.map((row) => ({
          row,
          mail: { from: 'a@example.com', to: 'b@example.com', messageId: `<${row._id}@example.com>`, raw: Buffer.from('mail'), links: {} },
        })),
        decided: [],
        rest: [],
      }),
      recordOutcomes: createRecordOutcomes({ mongo, queue, suppressions, outbox }),
      smtp: {
        async deliver(_envelope, _raw, begin) {
          if ((await begin()) === undefined) return undefined;
          delivering += 1;
          await serverAnswers.promise;
          return { kind: 'accepted', response: '250 OK' };
        },
        stop: () => undefined,
      },
      onNothingDue: async () => undefined,
      suspended: noneSuspended,
      logger,
    },
    { ...quickPace, slots: 20 },
  );
  sender.start();
  await eventually(async () => delivering === rows.length - 1);
  let stopped = false;
  const stopping = sender.stop().then(() => {
    stopped = true;
  });
  const states = () => recipients.countStates(accountId, id);
  // Long enough for a stop that does not wait to be over.
  await states();
  await states();
  assert.deepEqual([stopped, (await states()).sending], [false, 9]);
  serverAnswers.resolve();
  await stopping;
  const { sent, queued } = await states();
  assert.deepEqual([sent, queued], [9, 1], 'what is at the mail server is written before the stop, what had not left is due again');
});

test('a batch that takes longer to prepare than a claim lasts is sent all the same', async (t) => {
  const { mongo, cursors, outbox, logger } = await testParts(t, 'campaigns');
  const suppressions = createSuppressionsStore(mongo.db);
  const recipients = createRecipientsStore(mongo.db, cursors);
  for (const store of [createCampaignsStore(mongo.db, cursors, createPublishAudience(outbox)), recipients, suppressions])
    await store.prepare();
  const [id, accountId] = [newId('campaign'), newId('account')];
  await mongo.db
    .collection<{ _id: string }>(campaignsOf(mongo.db).collectionName)
    .insertOne({ _id: id, account_id: accountId, throttle_per_minute: null, work: 'send' } as { _id: string });
  const source = { account_id: accountId, source: 'campaign', source_id: id, source_key: id, content_id: id } as const;
  const rows = Array.from({ length: 5 }, () => newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()));
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));
  const queue = createRecipientsQueue(mongo.db);
  const claimMs = 300;
  const sender = createSender(
    {
      campaigns: createCampaignsQueue(mongo.db),
      queue,
      prepareBatch: async (claimed) => {
        await sleep(claimMs * 1.5);
        const mail = { from: 'a@example.com', to: 'b@example.com', messageId: '<1@example.com>', raw: Buffer.from('mail'), links: {} };
        return { ready: claimed.map((row) => ({ row, mail })), decided: [], rest: [] };
      },
      recordOutcomes: createRecordOutcomes({ mongo, queue, suppressions, outbox }),
      smtp: {
        deliver: async (_envelope, _raw, begin) => ((await begin()) === undefined ? undefined : { kind: 'accepted', response: '250 OK' }),
        stop: () => undefined,
      },
      onNothingDue: async () => undefined,
      suspended: { has: () => false, all: () => [] },
      logger,
    },
    { ...quickPace, claimMs, slots: 20 },
  );
  sender.start();
  try {
    await eventually(async () => (await recipients.countStates(accountId, id)).sent === rows.length);
  } finally {
    await sender.stop();
  }
});
