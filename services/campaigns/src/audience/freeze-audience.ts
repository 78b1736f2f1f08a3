import { invalid } from '@mp/contracts/errors';
import type { ContactId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import { noResult, sendersOf } from '../ab-tests/ab-test.ts';
import type { CampaignsQueue, WorkedCampaign } from '../campaigns/campaigns-queue.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { RequireSender } from '../delivery/senders/require-sender.ts';
import { newRecipient, withAssignment, withSchedule } from '../ledger/recipients/recipient-row.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { FindAudienceMoment } from './audience-moment.ts';
import type { AudiencePages } from './audience-pages.ts';
import type { FindMailable } from './contactables/mailable-contacts.ts';
import { plannedTimes } from './local-time.ts';
import type { RequireSegments } from './require-segments.ts';
import { assignmentOf } from './variant-assignment.ts';

type Deps = {
  mongo: Mongo;
  campaigns: CampaignsStore;
  campaignsQueue: CampaignsQueue;
  recipients: RecipientsStore;
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
};

/** An incomplete audience is checked again after a tenth of the time it has waited, within these limits. */
const minWaitMs = 100;
const maxWaitMs = 5_000;

/** The number of pages frozen before another campaign is claimed. */
const pagesPerClaim = 20;

export type FreezeAudience = ReturnType<typeof createFreezeAudience>;

/**
 * Freezes the audience of a campaign into the ledger. Rows and the cursor are written in one transaction, so a freeze resumes where it was
 * after a crash, and the count is always exact.
 */
export function createFreezeAudience(deps: Deps) {
  const { mongo, campaigns, campaignsQueue, recipients, audiencePages, findAudienceMoment, requireSegments, leaseMs, onReady } = deps;
  const { findMailable, requireSender, suspended } = deps;

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

  /**
   * Throws VALIDATION_ERROR if more contacts would be emailed than the campaign may have without approval: its audience has grown since it was
   * sent or scheduled. Nothing has been sent yet.
   */
  async function requireFew({ _id: id, account_id, max_unapproved }: WorkedCampaign, last: readonly { state: string }[]) {
    if (max_unapproved === undefined || max_unapproved === null) return;
    const { skipped, ...others } = await recipients.countStates(account_id, id);
    const before = Object.values(others).reduce((sum, count) => sum + count, 0);
    const recipientCount = before + last.filter(({ state }) => state !== 'skipped').length;
    if (recipientCount <= max_unapproved) return;
    const message = `The audience has grown to ${recipientCount} recipients; more than ${max_unapproved} need approval. Send the campaign again to request it.`;
    throw invalid('/audience', 'approval_required', message);
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
    if (next === null) await requireFew(campaign, rows);
    const kept = await mongo.transaction({ correlationId: id, causationId: null }, async (tx) => {
      const added = { after: next ?? undefined, added: rows.length + earlier, isFirst: after === null, leaseMs };
      const ours = await campaignsQueue.advance(tx, campaign, added);
      if (!ours) return false;
      await recipients.insert(tx, rows);
      if (next === null)
        await campaigns.transition(tx, accountId, {
          id,
          name: 'begin',
          action: 'begun',
          change: ab_test ? { ab_result: noResult, test_at: new Date() } : {},
        });
      return true;
    });
    if (kept && next === null) onReady();
    return kept ? { next } : { next: null, lost: true };
  }

  /** Freezes some pages, and releases the claim if there are more. */
  return async (campaign: WorkedCampaign, signal: AbortSignal) => {
    const asOf = campaign.frozen_at ?? (await takeMoment(campaign));
    if (!asOf) return;
    let after = campaign.frozen_after ?? null;
    for (let page = 0; page < pagesPerClaim && !signal.aborted && !suspended.has(campaign.account_id); page += 1) {
      const { next } = await freezePage(campaign, asOf, after);
      if (next === null) return;
      after = next;
    }
    await campaignsQueue.putOff(campaign, 0);
  };
}
