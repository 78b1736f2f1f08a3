import { notFound } from '@mp/contracts/errors';
import { CampaignTransitioned } from '@mp/contracts/events/campaigns';
import { type AccountId, type CampaignId, type TemplateId, trustedId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { nameFilter } from '@mp/service-kit/name-search';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Collection, Db } from 'mongodb';
import { startsAt } from '../audience/local-time.ts';
import { readsCoupon } from '../coupons/reads-coupon.ts';
import type { Campaign } from './campaign.ts';
import { type CampaignDocument, campaignOf, documentOf, summaryOf, type Times } from './campaign-document.ts';
import {
  allowed,
  editableStatuses,
  finalStatuses,
  invalidState,
  type TransitionName,
  transitions,
  usesSegments,
  workOf,
} from './campaign-states.ts';
import { createFollowTemplates } from './follow-templates.ts';
import { campaignIndexes, type ListCampaignsQuery, requireServed } from './list-campaigns-query.ts';
import type { PublishAudience } from './publish-audience.ts';

export type CampaignsStore = ReturnType<typeof createCampaignsStore>;

/** The fields a transition can change, in addition to the status. */
export type TransitionChange = Partial<
  Pick<
    CampaignDocument,
    | Times
    | 'audience_count'
    | 'status_reason'
    | 'ab_result'
    | 'test_at'
    | 'max_unapproved'
    | 'work_at'
    | 'subject'
    | 'preview_text'
    | 'html'
    | 'mjml'
    | 'text'
    | 'template_id'
    | 'template_version'
    | 'overrides'
  >
>;

/**
 * The fields set when sending starts. The audience is frozen later, once all of it is known. Rows of an earlier freeze that
 * failed stay counted until they are removed.
 */
export const sendingStarted = (now: Date, { audience_count }: Pick<Campaign, 'audience_count'>) => ({
  ...{ started_at: now, frozen_at: null, completed_at: null, status_reason: null },
  audience_count: audience_count ?? 0,
});

/** The collection, for the stores that workers use. */
export const campaignsOf = (db: Db): Collection<CampaignDocument> => db.collection<CampaignDocument>('campaigns');

/** Campaigns as the API reads and changes them. Every query names the account. */
export function createCampaignsStore(db: Db, cursors: Cursors, publishAudience: PublishAudience, outbox: Pick<Outbox, 'add'>) {
  const campaigns = campaignsOf(db);
  const followTemplates = createFollowTemplates(db);

  async function get(accountId: AccountId, id: CampaignId, tx?: Transaction): Promise<Campaign> {
    const document = await campaigns.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    if (!document) throw notFound();
    const campaign = campaignOf(document);
    const [followed = campaign] = await followTemplates(accountId, [campaign], tx);
    return followed;
  }

  /**
   * Throws INVALID_STATE if the latest status does not allow the transition. Reads outside the transaction, whose snapshot may be older, but
   * only what is durable: a retry that saw the change of its own first attempt any earlier would not find that attempt's stored response.
   */
  async function requireAllowed(accountId: AccountId, id: CampaignId, name: TransitionName, action: string) {
    const latest = await campaigns.findOne({ _id: id, account_id: accountId }, { projection: { status: 1 } });
    if (latest && !allowed(name, latest.status)) throw invalidState(action, latest.status, transitions[name].from);
  }

  return {
    prepare: () =>
      prepareCollection(
        campaigns,
        Object.entries(campaignIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      ),

    async insert(tx: Transaction, accountId: AccountId, campaign: Campaign) {
      await campaigns.insertOne(documentOf(accountId, campaign), { session: tx.session });
      await publishAudience(tx, accountId, campaign);
    },

    /** Throws NOT_FOUND. */
    get,

    /** Changes when a scheduled campaign starts, and clears its problem. */
    async reschedule(tx: Transaction, accountId: AccountId, campaign: Campaign, at: Date) {
      const { matchedCount } = await campaigns.updateOne(
        { _id: campaign.id, account_id: accountId, status: 'scheduled' },
        {
          $set: {
            schedule_at: at,
            work_at: startsAt(campaign) ?? at,
            revision: campaign.revision,
            updated_at: new Date(campaign.updated_at),
          },
          $unset: { work_token: '', problem: '' },
        },
        { session: tx.session },
      );
      if (matchedCount === 0) throw invalidState('rescheduled', (await get(accountId, campaign.id)).status, ['scheduled']);
    },

    /** The ID of a draft that uses this template; undefined if there is none. */
    async draftWith(tx: Transaction, accountId: AccountId, templateId: TemplateId): Promise<string | undefined> {
      const draft = await campaigns.findOne(
        { account_id: accountId, template_id: templateId, status: { $in: [...editableStatuses] } },
        { session: tx.session, projection: { _id: 1 } },
      );
      return draft?._id;
    },

    /** A campaign of the account that reads the coupon and is not sent yet. */
    async readingCoupon(tx: Transaction, accountId: AccountId, coupon: string): Promise<string | undefined> {
      const open = { account_id: accountId, status: { $nin: ['sent' as const, 'cancelled' as const] } };
      const found = await campaigns.findOne(
        { ...open, ...readsCoupon(coupon, ['', 'ab_test.variants.']) },
        { session: tx.session, projection: { _id: 1 } },
      );
      return found?._id;
    },

    /** Changes a draft or a failed campaign, whose work, to remove the rows of its freeze, continues. */
    async replaceDraft(tx: Transaction, accountId: AccountId, campaign: Campaign) {
      const { modifiedCount } = await campaigns.updateOne(
        { _id: campaign.id, account_id: accountId, status: campaign.status },
        { $set: documentOf(accountId, campaign) },
        { session: tx.session },
      );
      if (modifiedCount === 0) throw invalidState('updated', (await get(accountId, campaign.id)).status, editableStatuses);
      await publishAudience(tx, accountId, campaign);
    },

    async removeDraft(tx: Transaction, accountId: AccountId, campaign: Campaign) {
      const { deletedCount } = await campaigns.deleteOne(
        { _id: campaign.id, account_id: accountId, status: 'draft' },
        { session: tx.session },
      );
      if (deletedCount > 0) await publishAudience(tx, accountId, { ...campaign, revision: campaign.revision + 1 }, { gone: true });
    },

    /**
     * Changes the state with one guarded update, so that of two concurrent transitions only one succeeds. Throws NOT_FOUND
     * or INVALID_STATE.
     */
    async transition(
      tx: Transaction,
      accountId: AccountId,
      { id, name, action, change = {} }: { id: CampaignId; name: TransitionName; action: string; change?: TransitionChange },
    ) {
      // Concurrent callers that come too late fail here, instead of retrying write conflicts until they give up.
      await requireAllowed(accountId, id, name, action);
      const { from, to } = transitions[name];
      const work = workOf[to];
      const now = new Date();
      const { matchedCount } = await campaigns.updateOne(
        { _id: id, account_id: accountId, status: { $in: [...from] } },
        {
          $set: { status: to, updated_at: now, ...(work === null ? {} : { work, work_at: now }), ...change },
          $inc: { revision: 1 },
          $unset: {
            work_token: '',
            problem: '',
            ...(to === 'freezing' ? { whereabouts: '', frozen_after: '' } : {}),
            ...(work === null ? { work: '', work_at: '' } : {}),
          },
        },
        { session: tx.session },
      );
      const campaign = await get(accountId, id, tx);
      if (matchedCount === 0) throw invalidState(action, campaign.status, from);
      if ([to, ...from].some(usesSegments)) await publishAudience(tx, accountId, campaign);
      const { status, status_reason, audience_count, revision } = campaign;
      // It has an event of its own, because consumers of an earlier release do not know this status.
      if (status === 'awaiting_approval' || name === 'request_approval') return campaign;
      const reported = { campaign_id: id, name: campaign.name, transition: name, status, status_reason, audience_count, revision };
      await outbox.add(tx, CampaignTransitioned, accountId, { ...reported, at: now.toISOString() });
      return campaign;
    },

    /**
     * Counts ledger rows that were not added by the freeze. A campaign that is not frozen yet counts them in the freeze.
     * Returns false if the campaign does not exist.
     */
    async addToAudience(tx: Transaction, accountId: AccountId, id: CampaignId, count: number): Promise<boolean> {
      const own = { _id: id, account_id: accountId };
      const known = await campaigns.findOne(own, { session: tx.session, projection: { audience_count: 1, status: 1, frozen_after: 1 } });
      const isYetToFreeze = known?.audience_count === null || (known?.status === 'freezing' && known.frozen_after === undefined);
      if (known && !isYetToFreeze) await campaigns.updateOne(own, { $inc: { audience_count: count } }, { session: tx.session });
      return known !== null;
    },

    /** Campaigns that started to send in the range, the latest first. */
    async startedIn(accountId: AccountId, { from, to }: { from: Date; to: Date }, limit: number) {
      const found = await campaigns
        .find({ account_id: accountId, started_at: { $gte: from, $lt: to } })
        .project<{ _id: string; started_at: Date; audience_count: number | null }>({ started_at: 1, audience_count: 1 })
        .sort({ started_at: -1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, ...campaign }) => ({ id: _id, ...campaign }));
    },

    /** What counts as a conversion of the campaign; null if it does not say, or if there is no such campaign. */
    async conversionOf(tx: Transaction, accountId: AccountId, id: string): Promise<Campaign['conversion']> {
      const own = { _id: trustedId<'campaign'>(id), account_id: accountId };
      const campaign = await campaigns.findOne(own, { session: tx.session, projection: { conversion: 1 } });
      return campaign?.conversion ?? null;
    },

    /** The campaigns with this template that can have sent emails, up to `limit`. */
    async idsWithTemplate(tx: Transaction, accountId: AccountId, templateId: TemplateId, limit: number): Promise<CampaignId[]> {
      const found = await campaigns
        .find(
          { account_id: accountId, template_id: templateId, status: { $in: [...finalStatuses] } },
          { session: tx.session, projection: { _id: 1 } },
        )
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Throws VALIDATION_ERROR if no index serves the search. */
    async list(accountId: AccountId, query: ListCampaignsQuery) {
      requireServed(query);
      const { limit, cursor, include, sort, status, q } = query;
      const { items, pagination } = await findPage({
        collection: campaigns,
        filter: { account_id: accountId, ...(status && { status }), ...(q !== undefined && nameFilter(q)) },
        ...(q !== undefined && { hint: 'created_at_name' }),
        order: parseSort(sort),
        limit,
        cursor,
        cursors,
        boundTo: ['campaigns', accountId, sort, status ?? null, ...(q === undefined ? [] : [q])],
        total: include === 'total_count',
      });
      return { items: await followTemplates(accountId, items.map(summaryOf)), pagination };
    },
  };
}
