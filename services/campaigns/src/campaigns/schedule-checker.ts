import { ApiError } from '@mp/contracts/errors';
import { CampaignProblemFound } from '@mp/contracts/events/campaigns';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import { sendersOf } from '../ab-tests/ab-test.ts';
import type { RequireSegments } from '../audience/require-segments.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import type { CampaignDocument } from './campaign-document.ts';
import { campaignsOf } from './campaigns-store.ts';

type Deps = {
  mongo: Mongo;
  outbox: Pick<Outbox, 'add'>;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  everyMs: number;
  suspended: Suspended;
  logger: Logger;
};

/**
 * Checks the audience and the senders of scheduled campaigns, and stores why one would fail, so that its owner can correct it in time.
 * A segment that fails to build publishes no event, so that they are checked again and again. Skips suspended accounts.
 */
export function createScheduleChecker({ mongo, outbox, requireSegments, requireSender, everyMs, suspended, logger }: Deps) {
  const campaigns = campaignsOf(mongo.db);
  const failures = createFailureLog(logger, 'cannot check a scheduled campaign; retrying');

  async function problemOf(campaign: CampaignDocument): Promise<string | null> {
    try {
      await requireSegments(campaign.account_id, campaign.audience, { mayWait: false });
      for (const from of sendersOf(campaign)) await requireSender(campaign.account_id, from);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error.message;
      throw error;
    }
  }

  async function check(campaign: CampaignDocument) {
    const { _id, account_id, name, revision, schedule_at } = campaign;
    const problem = await problemOf(campaign);
    if (problem === (campaign.problem ?? null)) return;
    await mongo.transaction({ correlationId: _id, causationId: null }, async (tx) => {
      // Another process may have stored it, and the campaign may have changed.
      const { modifiedCount } = await campaigns.updateOne(
        { _id, account_id, status: 'scheduled', revision, problem: campaign.problem ?? null },
        { $set: { problem } },
        { session: tx.session },
      );
      if (modifiedCount === 0 || problem === null || schedule_at === null) return;
      const found = { campaign_id: _id, name, problem, schedule_at: schedule_at.toISOString(), revision, at: new Date().toISOString() };
      await outbox.add(tx, CampaignProblemFound, account_id, found);
    });
  }

  return createRunner({
    logger,
    warning: 'checking scheduled campaigns failed; retrying',
    work: async (signal) => {
      for await (const campaign of campaigns.find({ work: 'start', ...notSuspended(suspended) })) {
        if (signal.aborted) break;
        await check(campaign).catch((error: unknown) => failures.failed(error, { campaign: campaign._id }));
      }
      return everyMs;
    },
  });
}
