import { ApiError } from '@mp/contracts/errors';
import { backoff } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { createRunner, untilDue } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { FreezeAudience } from '../audience/freeze-audience.ts';
import { startsAt } from '../audience/local-time.ts';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { CampaignsQueue, WorkedCampaign } from './campaigns-queue.ts';
import { type CampaignsStore, sendingStarted } from './campaigns-store.ts';
import { contentOfDraft } from './with-template.ts';

type Deps = {
  mongo: Mongo;
  campaigns: CampaignsStore;
  templates: TemplatesStore;
  campaignsQueue: CampaignsQueue;
  recipients: RecipientsStore;
  counters: CountersStore;
  freezeAudience: FreezeAudience;
  /** How long one step may take before another worker takes over. */
  leaseMs: number;
  suspended: Suspended;
  logger: Pick<Logger, 'warn' | 'info'>;
};

const idleMs = 250;

const kinds = ['start', 'freeze', 'settle', 'discard'] as const;

/**
 * Does the work of campaigns that are not being sent: starts scheduled ones, freezes audiences, settles cancelled ones and removes the
 * rows of a freeze that failed.
 */
export function createCampaignWorker({
  mongo,
  campaigns,
  templates,
  campaignsQueue,
  recipients,
  counters,
  freezeAudience,
  leaseMs,
  suspended,
  logger,
}: Deps) {
  const failing = createFailureLog(logger, 'freezing an audience failed; retrying');

  const transaction = <T>(campaign: WorkedCampaign, work: (tx: Transaction) => Promise<T>) =>
    mongo.transaction({ correlationId: campaign._id, causationId: null }, work);

  async function start(campaign: WorkedCampaign) {
    await transaction(campaign, async (tx) => {
      const current = await campaigns.get(campaign.account_id, campaign._id, tx);
      // It awaits approval since it was claimed, from where only an approval may send it.
      if (current.status !== 'scheduled') return;
      const at = startsAt(current);
      // It has been rescheduled since it was claimed.
      if (at !== null && at.getTime() > Date.now()) return;
      await campaigns.transition(tx, campaign.account_id, {
        id: campaign._id,
        name: 'send',
        action: 'started',
        change: sendingStarted(new Date(), campaign),
      });
    });
  }

  /**
   * Removes the rows of a freeze that failed. Rows and count change in one transaction, so that they agree at any time.
   * Throws INVALID_STATE if another worker has taken over. Returns false if the process stops.
   */
  async function discard(campaign: WorkedCampaign, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const ids = await recipients.neverSent(campaign.account_id, campaign._id);
      if (ids.length === 0) return true;
      await transaction(campaign, async (tx) => {
        await counters.uncount(tx, campaign.account_id, campaign._id, ids);
        const removed = await recipients.removeNeverSent(tx, campaign.account_id, ids);
        await campaignsQueue.discount(tx, campaign, removed, leaseMs);
      });
    }
    return false;
  }

  async function settle(campaign: WorkedCampaign, signal: AbortSignal) {
    while ((await recipients.cancelWaiting(campaign.account_id, campaign._id)) > 0) if (signal.aborted) break;
    // Emails at the mail server may still return to the queue.
    if (await recipients.hasPending(campaign.account_id, campaign._id)) await campaignsQueue.putOff(campaign, 500);
    else await campaignsQueue.settled(campaign);
  }

  async function fail(campaign: WorkedCampaign, reason: string) {
    await transaction(campaign, async (tx) =>
      campaigns.transition(tx, campaign.account_id, {
        id: campaign._id,
        name: 'fail',
        action: 'failed',
        change: {
          ...{ status_reason: reason, completed_at: new Date() },
          ...(await contentOfDraft(templates, tx, campaign.account_id, await campaigns.get(campaign.account_id, campaign._id, tx))),
        },
      }),
    );
  }

  async function work(campaign: WorkedCampaign, signal: AbortSignal) {
    try {
      if (campaign.work === 'start') await start(campaign);
      if (campaign.work === 'freeze' && (campaign.frozen_after !== undefined || (await discard(campaign, signal))))
        await freezeAudience(campaign, signal);
      if (campaign.work === 'settle') await settle(campaign, signal);
      if (campaign.work === 'discard' && (await discard(campaign, signal))) await campaignsQueue.settled(campaign);
      failing.succeeded();
    } catch (error) {
      // The campaign has been paused, cancelled or taken over in the meantime.
      if (error instanceof ApiError && (error.code === 'INVALID_STATE' || error.code === 'NOT_FOUND')) return;
      if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return fail(campaign, error.message);
      failing.failed(error, { campaign: campaign._id });
      await campaignsQueue.putOff(campaign, 500 + backoff(3, 250, 5_000));
    }
  }

  return createRunner({
    logger,
    warning: 'freeze loop failed; retrying',
    lookEveryMs: idleMs,
    async work(signal) {
      const campaign = await campaignsQueue.claim(kinds, leaseMs, suspended);
      if (!campaign) return untilDue(await campaignsQueue.nextDue(kinds), new Date());
      noteInLogs({ account_id: campaign.account_id });
      await work(campaign, signal);
      return true;
    },
  });
}
