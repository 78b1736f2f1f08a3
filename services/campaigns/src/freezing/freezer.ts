import { ApiError } from '@mp/contracts/errors';
import type { ContactId } from '@mp/ids';
import { backoff } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import { noResult } from '../ab-tests/ab-test.ts';
import { assignmentOf } from '../ab-tests/assignment.ts';
import type { CampaignsQueue, WorkedCampaign } from '../campaigns/campaigns-queue.ts';
import { type CampaignsStore, sendingStarted } from '../campaigns/campaigns-store.ts';
import type { FindMailable } from '../contactables/mailable-contacts.ts';
import type { CountersStore } from '../engagements/counters-store.ts';
import { newRecipient, withAssignment, withSchedule } from '../recipients/recipient-row.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import { type RequireSender, sendersOf } from '../senders/require-sender.ts';
import { plannedTimes, startsAt } from '../sending/local-time.ts';
import type { TemplatesStore } from '../templates/templates-store.ts';
import { contentOfDraft } from '../templates/with-template.ts';
import type { FindAudienceMoment } from './audience-moment.ts';
import type { AudiencePages } from './audience-pages.ts';
import type { RequireSegments } from './segments-exist.ts';

type Deps = {
  mongo: Mongo;
  campaigns: CampaignsStore;
  templates: TemplatesStore;
  campaignsQueue: CampaignsQueue;
  recipients: RecipientsStore;
  counters: CountersStore;
  audiencePages: AudiencePages;
  findMailable: FindMailable;
  findAudienceMoment: FindAudienceMoment;
  requireSegments: RequireSegments;
  requireSender: RequireSender;
  /** How long one page of an audience may take before another worker takes over. */
  leaseMs: number;
  /** Called when a campaign starts sending. */
  onReady: () => void;
  suspended: Suspended;
  logger: Pick<Logger, 'warn' | 'info'>;
};

const idleMs = 250;

/** An incomplete audience is checked again after a tenth of the time it has waited, within these limits. */
const minWaitMs = 100;
const maxWaitMs = 5_000;

/** The number of pages frozen before another campaign is claimed. */
const pagesPerClaim = 20;

/**
 * Starts scheduled campaigns, freezes audiences into the ledger, settles cancelled campaigns and empties failed ledgers. Rows and the cursor are
 * written in one transaction, so a freeze resumes where it was after a crash, and the count is always exact.
 */
export function createFreezer(deps: Deps) {
  const { mongo, campaigns, campaignsQueue, recipients, counters, audiencePages, findAudienceMoment, requireSegments, leaseMs, onReady } =
    deps;
  const { findMailable, requireSender, templates, suspended, logger } = deps;
  const failing = createFailureLog(logger, 'freezing an audience failed; retrying');

  const transaction = <T>(campaign: WorkedCampaign, work: (tx: Transaction) => Promise<T>) =>
    mongo.transaction({ correlationId: campaign._id, causationId: null }, work);

  async function start(campaign: WorkedCampaign) {
    await transaction(campaign, async (tx) => {
      const at = startsAt(await campaigns.get(campaign.account_id, campaign._id, tx));
      // It has been rescheduled since it was claimed.
      if (at !== null && at.getTime() > Date.now()) return;
      await campaigns.transition(tx, campaign.account_id, {
        id: campaign._id,
        name: 'send',
        asked: 'started',
        change: sendingStarted(new Date(), campaign),
      });
    });
  }

  /** The time as of which to take the audience; undefined if it is not complete yet and is retried later. */
  async function takeMoment(campaign: WorkedCampaign): Promise<Date | undefined> {
    const { account_id: accountId, audience, whereabouts = {}, started_at } = campaign;
    const sources = await requireSegments(accountId, audience, { mayWait: false });
    for (const from of sendersOf(campaign)) await requireSender(accountId, from);
    const found = await findAudienceMoment({ accountId, audience, sources, whereabouts });
    if ('asOf' in found) return (await campaignsQueue.freezeAsOf(campaign, found.asOf)) ? found.asOf : undefined;
    const waitedMs = Date.now() - (started_at?.getTime() ?? 0);
    await campaignsQueue.awaitSources(campaign, found.whereabouts, Math.min(maxWaitMs, Math.max(minWaitMs, waitedMs / 10)));
    return undefined;
  }

  /** The time that the schedule plans for each of these contacts. */
  async function plannedBy(campaign: WorkedCampaign, contactIds: readonly ContactId[]) {
    const plannedIn = plannedTimes(campaign);
    if (campaign.timezone_mode !== 'recipient') return () => plannedIn(null);
    const found = await findMailable(campaign.account_id, contactIds);
    return (contactId: ContactId) => plannedIn(found.get(contactId)?.contact?.timezone);
  }

  /** Writes one page of the audience into the ledger. Returns the next page, and whether another worker has taken over (`lost`). */
  async function freezePage(campaign: WorkedCampaign, asOf: Date, after: string | null): Promise<{ next: string | null; lost?: boolean }> {
    const { _id: id, account_id: accountId, audience, ab_test, holdout_percent } = campaign;
    const { contactIds, excluded, next } = await audiencePages({ accountId, audience, asOf, after }).catch(async (error: unknown) => {
      // Do not wait for a segment that failed to build.
      await requireSegments(accountId, audience, { mayWait: false });
      throw error;
    });
    const known = await recipients.existing(accountId, { source: 'campaign', key: id, contactIds });
    const plannedFor = await plannedBy(campaign, contactIds);
    const rows = contactIds
      .filter((contactId) => !known.has(contactId))
      .map((contactId) => {
        const source = { account_id: accountId, source: 'campaign' as const, source_id: id, source_key: id };
        const added = newRecipient({ ...source, contact_id: contactId, content_id: id }, excluded.has(contactId), asOf);
        const row = holdout_percent ? { ...added, compared: true as const } : added;
        return withAssignment(withSchedule(row, plannedFor(contactId)), ab_test ? assignmentOf(ab_test, id, contactId) : undefined);
      });
    // After a restore, rows of emails that were sent earlier exist before the first page is written.
    const earlier = after === null ? Object.values(await recipients.countStates(accountId, id)).reduce((sum, count) => sum + count, 0) : 0;
    const kept = await transaction(campaign, async (tx) => {
      const added = { after: next ?? undefined, added: rows.length + earlier, isFirst: after === null, leaseMs };
      const ours = await campaignsQueue.advance(tx, campaign, added);
      if (!ours) return false;
      await recipients.insert(tx, rows);
      if (next === null)
        await campaigns.transition(tx, accountId, {
          id,
          name: 'begin',
          asked: 'begun',
          change: ab_test ? { ab_result: noResult, test_at: new Date() } : {},
        });
      return true;
    });
    if (kept && next === null) onReady();
    return kept ? { next } : { next: null, lost: true };
  }

  async function freeze(campaign: WorkedCampaign, signal: AbortSignal) {
    if (campaign.frozen_after === undefined && !(await discard(campaign, signal))) return;
    const asOf = campaign.frozen_at ?? (await takeMoment(campaign));
    if (!asOf) return;
    let after = campaign.frozen_after ?? null;
    for (let page = 0; page < pagesPerClaim && !signal.aborted && !suspended.has(campaign.account_id); page += 1) {
      const { next } = await freezePage(campaign, asOf, after);
      if (next === null) return;
      after = next;
    }
    await campaignsQueue.putOff(campaign, 0);
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
        asked: 'failed',
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
      if (campaign.work === 'freeze') await freeze(campaign, signal);
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
      const campaign = await campaignsQueue.claim(['start', 'freeze', 'settle', 'discard'], leaseMs, suspended);
      if (!campaign) return false;
      noteInLogs({ account_id: campaign.account_id });
      await work(campaign, signal);
      return true;
    },
  });
}
