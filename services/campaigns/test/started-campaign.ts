import type { TestContext } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { noneSuspended } from '@mp/service-kit/suspensions';
import { testParts } from '@mp/test-kit/test-parts';
import { createSuppressionsStore } from '../src/audience/contactables/suppressions-store.ts';
import { createCampaignsQueue } from '../src/campaigns/campaigns-queue.ts';
import { campaignsOf, createCampaignsStore } from '../src/campaigns/campaigns-store.ts';
import { createPublishAudience } from '../src/campaigns/publish-audience.ts';
import type { Prepared } from '../src/delivery/sending/prepare-batch.ts';
import { createSendingWorker, type SendingConfig } from '../src/delivery/sending/sending-worker.ts';
import type { Handover, Smtp } from '../src/delivery/sending/smtp-connections.ts';
import type { Claimed } from '../src/ledger/recipients/claimed-row.ts';
import { newRecipient } from '../src/ledger/recipients/recipient-row.ts';
import { createRecipientsQueue } from '../src/ledger/recipients/recipients-queue.ts';
import { createRecipientsStore } from '../src/ledger/recipients/recipients-store.ts';
import { createRecordOutcomes } from '../src/ledger/recipients/record-outcomes.ts';
import { quickTimings } from './setting.ts';

type Deps = Parameters<typeof createSendingWorker>[0];

/** A campaign in `sending` with `count` recipients, and a factory for its worker. The default SMTP server accepts everything. */
export async function startCampaign(t: TestContext, count: number, perMinute: number | null = null) {
  const parts = await testParts(t, 'campaigns', { monitorCommands: true });
  const { mongo, cursors, outbox } = parts;
  const suppressions = createSuppressionsStore(mongo.db);
  const recipients = createRecipientsStore(mongo.db, cursors);
  for (const store of [createCampaignsStore(mongo.db, cursors, createPublishAudience(outbox), outbox), recipients, suppressions])
    await store.prepare();
  const [id, accountId] = [newId('campaign'), newId('account')];
  const stored = mongo.db.collection<{ _id: string; work?: string }>(campaignsOf(mongo.db).collectionName);
  await stored.insertOne({ _id: id, account_id: accountId, throttle_per_minute: perMinute, work: 'send' } as { _id: string });
  const source = { account_id: accountId, source: 'campaign', source_id: id, source_key: id, content_id: id } as const;
  const rows = Array.from({ length: count }, () => newRecipient({ ...source, contact_id: newId('contact') }, false, new Date()));
  await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => recipients.insert(tx, rows));
  const [campaigns, queue] = [createCampaignsQueue(mongo.db), createRecipientsQueue(mongo.db)];

  const smtp: Smtp = {
    deliver: async (_envelope, _raw, handover) => ((await isTaken(handover)) ? { kind: 'accepted', response: '250 OK' } : undefined),
    stop: () => undefined,
  };
  const usual: Deps = {
    ...{
      campaigns,
      queue,
      smtp,
      gate: {
        closedUntil: () => undefined,
        enter: async () => ({ begun: () => undefined, paused: () => undefined, leave: () => undefined }),
      },
      prepareBatch: async (claimed) => allReady(claimed),
    },
    ...{ recordOutcomes: createRecordOutcomes({ mongo, queue, suppressions, outbox }), onNothingDue: async () => undefined },
    ...{ suspended: noneSuspended, paused: async () => new Set<AccountId>(), logger: parts.logger },
  };
  return {
    mongo,
    campaigns,
    queue,
    smtp,
    states: () => recipients.countStates(accountId, id),
    steer: (work: 'send' | 'none') => stored.updateOne({ _id: id }, { $set: { work } }),
    worker: (deps: Partial<Deps>, config: Partial<SendingConfig> = {}) => {
      const worker = createSendingWorker({ ...usual, ...deps }, { ...quickTimings, slots: 20, ...config });
      // A test that failed must not leave it running, or its file would never end.
      t.after(worker.stop);
      return worker;
    },
  };
}

/** Whether the mail server may have the content of the email. */
export const isTaken = async ({ mayStart, beforeContent }: Handover) => (await mayStart()) && (await beforeContent()) !== undefined;

export const allReady = (claimed: readonly Claimed[]): Prepared => ({
  ready: claimed.map((row) => ({
    row,
    mail: { from: 'a@example.com', to: 'b@example.com', messageId: `<${row._id}@example.com>`, raw: Buffer.from('mail'), links: {} },
  })),
  ...{ decided: [], rest: [], postponed: [] },
});
