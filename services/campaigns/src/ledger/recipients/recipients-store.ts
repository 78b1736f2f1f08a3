import { type AccountId, type CampaignId, type ContactId, type RecipientId, trustedId, type WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
import type { Timing } from '../../campaigns/campaign.ts';
import { revenueOf } from '../revenue.ts';
import { createAudienceRows } from './audience-rows.ts';
import { createErasedRows } from './erased-rows.ts';
import { createCappedEmails } from './frequency-cap.ts';
import type { LedgerFilter } from './ledger-filter.ts';
import { messageSources } from './message-category.ts';
import { pendingStates, type Recipient, type RecipientState, type StateCounts, type WorkflowRecipient } from './recipient.ts';
import { latenessOf, type RecipientDocument, recipientIndexes, recipientsOf, sentFilter } from './recipient-row.ts';
import { createSettlements } from './settlements.ts';

type LedgerQuery = LedgerFilter & { limit: number; cursor?: string | undefined };

export type RecipientsStore = ReturnType<typeof createRecipientsStore>;

/** The ledger, as the API reads it and a freeze fills it. The operations of workers are in `recipients-queue.ts`. */
export function createRecipientsStore(db: Db, cursors: Cursors) {
  const recipients = recipientsOf(db);

  const listRows = (accountId: AccountId, sourceId: CampaignId | WorkflowId, { limit, cursor, ...filter }: LedgerQuery) => {
    const { status = null, reason = null, engagement } = filter;
    return findPage({
      collection: recipients,
      filter: filtered(accountId, sourceId, filter),
      order: { field: '_id', direction: 1 },
      ...(engagement && { hint: engagement }),
      ...{ limit, cursor, cursors },
      boundTo: ['ledger', accountId, sourceId, status, reason, ...(engagement ? [engagement] : [])],
    });
  };

  /** Each page is a separate query, so that a slow reader holds no cursor open. */
  async function* pagesOfRows(accountId: AccountId, sourceId: CampaignId | WorkflowId, filter: LedgerFilter) {
    for (let last: RecipientId | undefined; ; ) {
      const rows = await recipients
        .find(
          { ...filtered(accountId, sourceId, filter), ...(last && { _id: { $gt: last } }) },
          filter.engagement && { hint: filter.engagement },
        )
        .sort({ _id: 1 })
        .limit(exportedAtOnce)
        .toArray();
      if (rows.length > 0) yield rows;
      last = rows.at(-1)?._id;
      if (rows.length < exportedAtOnce) return;
    }
  }

  return {
    prepare: () => prepareCollection(recipients, recipientIndexes, db),

    ...createAudienceRows(recipients),
    ...createSettlements(recipients),
    ...createErasedRows(recipients),
    ...createCappedEmails(recipients),

    /** The row behind a signed link. */
    findById: (accountId: AccountId, id: RecipientId, tx?: Transaction) =>
      recipients.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session }),

    findMessage: (accountId: AccountId, id: RecipientId) => recipients.findOne({ _id: id, account_id: accountId, source: 'message' }),

    /** Messages of the API, newest first. */
    listMessages: (
      accountId: AccountId,
      { limit, cursor, status }: { limit: number; cursor?: string | undefined; status?: RecipientState | undefined },
    ) =>
      findPage({
        collection: recipients,
        filter: { account_id: accountId, source_id: messageSources.messages, ...(status && { state: status }) },
        order: { field: '_id', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['messages', accountId, status ?? null],
      }),

    /** When the `count`th latest test was requested; undefined if there were fewer. */
    async testBefore(accountId: AccountId, count: number): Promise<Date | undefined> {
      const [row] = await recipients
        .find({ account_id: accountId, source_id: messageSources.tests }, { projection: { created_at: 1 } })
        .sort({ _id: -1 })
        .skip(count - 1)
        .limit(1)
        .toArray();
      return row?.created_at;
    },

    findOfContact: (accountId: AccountId, campaignId: CampaignId, contactId: ContactId) =>
      recipients.findOne({ account_id: accountId, source: 'campaign', source_key: campaignId, contact_id: contactId }),

    /** Counts the rows in each state, or in these states, from the index alone. */
    async countStates(
      accountId: AccountId,
      campaignId: CampaignId,
      tx?: Transaction,
      states?: readonly RecipientState[],
    ): Promise<StateCounts> {
      const groups = await recipients
        .aggregate<{ _id: RecipientState; count: number }>(
          [
            { $match: { account_id: accountId, source_id: campaignId, ...(states && { state: { $in: [...states] } }) } },
            { $group: { _id: '$state', count: { $sum: 1 } } },
          ],
          { hint: 'by_state', ...(tx && { session: tx.session }) },
        )
        .toArray();
      const counts = new Map(groups.map(({ _id, count }) => [_id, count]));
      return countsBy((state) => counts.get(state) ?? 0);
    },

    /** When the emails that are not due yet are due. Claimed rows are being worked on, so they are not counted. */
    async timingOf(accountId: AccountId, campaignId: string, now = new Date()): Promise<Timing> {
      const groups = await recipients
        .aggregate<{ _id: string | null; waiting: number; next: Date; last: Date }>(
          [
            { $match: { account_id: accountId, source_id: campaignId, due_at: { $gt: now }, lease_token: { $exists: false } } },
            { $group: { _id: '$reason', waiting: { $sum: 1 }, next: { $min: '$due_at' }, last: { $max: '$due_at' } } },
            { $sort: { waiting: -1, _id: 1 } },
          ],
          { hint: 'due' },
        )
        .toArray();
      const times = groups.flatMap(({ next, last }) => [next.toISOString(), last.toISOString()]).toSorted();
      return {
        waiting: groups.reduce((sum, { waiting }) => sum + waiting, 0),
        next_at: times[0] ?? null,
        last_at: times.at(-1) ?? null,
        reasons: groups.map(({ _id, waiting }) => ({ reason: _id, waiting })),
      };
    },

    /** Whether any row can still be sent without a decision by a user. */
    async hasPending(accountId: AccountId, campaignId: CampaignId, tx?: Transaction) {
      const row = await recipients.findOne(
        { account_id: accountId, source_id: campaignId, state: { $in: [...pendingStates] } },
        { projection: { _id: 1 }, hint: 'by_state', ...(tx && { session: tx.session }) },
      );
      return row !== null;
    },

    /** A page of the ledger of a campaign. */
    async list(accountId: AccountId, campaignId: CampaignId, query: LedgerQuery) {
      const { items, pagination } = await listRows(accountId, campaignId, query);
      return { items: items.map(recipientOf), pagination };
    },

    /** A page of the emails of a workflow. */
    async listSteps(accountId: AccountId, workflowId: WorkflowId, query: LedgerQuery) {
      const { items, pagination } = await listRows(accountId, workflowId, query);
      return { items: items.map(stepRecipientOf), pagination };
    },

    /** All rows of the ledger of a campaign, a page at a time. */
    async *pages(accountId: AccountId, campaignId: CampaignId, filter: LedgerFilter): AsyncGenerator<Recipient[]> {
      for await (const rows of pagesOfRows(accountId, campaignId, filter)) yield rows.map(recipientOf);
    },

    /** All emails of a workflow, a page at a time. */
    async *stepPages(accountId: AccountId, workflowId: WorkflowId, filter: LedgerFilter): AsyncGenerator<WorkflowRecipient[]> {
      for await (const rows of pagesOfRows(accountId, workflowId, filter)) yield rows.map(stepRecipientOf);
    },
  };
}

const exportedAtOnce = 1_000;

/** Each is served by the index of its name. */
const engaged: Record<NonNullable<LedgerFilter['engagement']>, Filter<RecipientDocument>> = {
  opened: { 'tally.opened.human': { $gt: 0 } },
  clicked: { 'tally.clicked.human': { $gt: 0 } },
  converted: { 'conversions.count': { $gt: 0 } },
  not_opened: { ...sentFilter, 'tally.opened.human': { $in: [null, 0] } },
};

const filtered = (accountId: AccountId, sourceId: CampaignId | WorkflowId, { status, reason, engagement }: LedgerFilter) => ({
  ...{ account_id: accountId, source_id: sourceId },
  ...(status && { state: status }),
  ...(reason && { reason }),
  ...(engagement && engaged[engagement]),
});

const countsBy = (count: (state: RecipientState) => number): StateCounts => ({
  queued: count('queued'),
  sending: count('sending'),
  deferred: count('deferred'),
  sent: count('sent'),
  delivered: count('delivered'),
  bounced: count('bounced'),
  complained: count('complained'),
  skipped: count('skipped'),
  failed: count('failed'),
  unknown: count('unknown'),
});

/** When the row is due, unless a worker has it now or it is due already. */
function nextAt({ state, due_at, lease_token, created_at }: RecipientDocument): Date | undefined {
  if (state === 'deferred') return due_at;
  return state === 'queued' && lease_token === undefined && due_at && due_at > created_at ? due_at : undefined;
}

export function recipientOf(row: RecipientDocument): Recipient {
  return {
    id: row._id,
    campaign_id: row.source === 'campaign' ? trustedId<'campaign'>(row.source_id) : null,
    contact_id: row.contact_id,
    status: row.state,
    reason: row.reason,
    detail: row.detail,
    address: row.address,
    variant: row.variant ?? row.step_variant ?? null,
    attempts: row.attempts,
    next_attempt_at: nextAt(row)?.toISOString() ?? null,
    scheduled_for: row.scheduled_for?.toISOString() ?? null,
    lateness_seconds: latenessOf(row),
    message_id: row.message_id,
    sent_at: row.sent_at?.toISOString() ?? null,
    coupon_code: row.coupon_code ?? null,
    opens: row.tally?.opened?.human ?? 0,
    clicks: row.tally?.clicked?.human ?? 0,
    conversions: row.conversions?.count ?? 0,
    revenue: revenueOf(row.conversions ?? {}),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function stepRecipientOf(row: RecipientDocument): WorkflowRecipient {
  const { campaign_id: _, ...recipient } = recipientOf(row);
  return { ...recipient, workflow_id: trustedId<'workflow'>(row.source_id), step_id: row.step ?? null };
}
