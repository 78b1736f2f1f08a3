import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner, untilDue } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import { bestOf, trialsOf } from '../../ab-tests/best-variant.ts';
import type { CountersStore } from '../../ledger/counters/counters-store.ts';
import type { CampaignDocument } from '../campaign-document.ts';
import { type AbTestsStore, isCompared } from './ab-tests-store.ts';

type Deps = {
  mongo: Mongo;
  tests: AbTestsStore;
  counters: CountersStore;
  /** Called when rows have been queued. */
  onReleased: () => void;
  suspended: Suspended;
  logger: Logger;
};

const leaseMs = 10_000;

/** How often a running sample is looked at. */
const sampleMs = 1_000;

/** How old uncounted engagements may be when the winner is selected. */
const maxUncountedMs = 5_000;

/**
 * Advances A/B tests: records when the sample has been sent, selects the winner when its time has come, and queues the rest of
 * the audience. The time is stored, so that a test continues after any crash.
 */
export function createWinnerWorker({ mongo, tests, counters, onReleased, suspended, logger }: Deps) {
  async function noteSample(campaign: CampaignDocument) {
    const { ab_test } = campaign;
    if (!ab_test) return;
    if (await tests.isSampleWaiting(campaign)) return tests.next(campaign, new Date(Date.now() + sampleMs));
    const now = new Date();
    const decidesAt = ab_test.selection === 'automatic' ? new Date(now.getTime() + ab_test.duration_minutes * 60_000) : null;
    await tests.sampleSent(campaign, now, decidesAt);
    await tests.next(campaign, decidesAt ?? undefined);
  }

  async function select(campaign: CampaignDocument) {
    const { ab_test, account_id, _id } = campaign;
    if (!ab_test) return;
    const isCounted = await mongo.transaction({ correlationId: _id, causationId: null }, async (tx) => {
      const { breakdown, asOf } = await counters.read(tx, account_id, _id, 'variant');
      if (Date.now() - asOf.getTime() > maxUncountedMs) return false;
      const variants = trialsOf(ab_test, (id) => breakdown.find(({ key }) => key === id)?.counts ?? {});
      const selected_at = new Date().toISOString();
      await tests.select(tx, account_id, _id, { winner: bestOf(variants), selected_at, selected_by: 'metric', variants });
      return true;
    });
    if (!isCounted) await tests.next(campaign, new Date(Date.now() + sampleMs));
  }

  async function release(campaign: CampaignDocument, winner: string, signal: AbortSignal) {
    while (!signal.aborted) {
      if (!(await tests.release(campaign, winner))) {
        await tests.next(campaign, undefined);
        break;
      }
      onReleased();
    }
  }

  return createRunner({
    logger,
    warning: 'an A/B test could not continue; retrying',
    lookEveryMs: 250,
    async work(signal) {
      const campaign = await tests.claim(leaseMs, suspended);
      if (!campaign) return untilDue(await tests.nextDue(), new Date());
      const { status, ab_result } = campaign;
      if (!ab_result || !isCompared(status)) await tests.next(campaign, undefined);
      else if (ab_result.winner !== null) await release(campaign, ab_result.winner, signal);
      else if (ab_result.sample_sent_at === null) await noteSample(campaign);
      else if (ab_result.decides_at === null) await tests.next(campaign, undefined);
      else if (new Date(ab_result.decides_at).getTime() > Date.now()) await tests.next(campaign, new Date(ab_result.decides_at));
      else await select(campaign);
      return true;
    },
  });
}
