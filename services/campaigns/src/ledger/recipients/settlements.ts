import type { AccountId, CampaignId, ContactId, RecipientId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { LinkTargets } from '../../content/links/link-targets.ts';
import { provesDelivery } from './earliest-delivery.ts';
import type { RecipientDocument } from './recipient-row.ts';

/** What changes the row of an email after it was sent: proof of delivery, feedback, and the decision of a user. */
export const createSettlements = (recipients: Collection<RecipientDocument>) => ({
  /** Stores the link targets of a sent email, if the row has none. */
  async keepLinks(tx: Transaction, accountId: AccountId, id: RecipientId, links: LinkTargets) {
    const unknown = { _id: id, account_id: accountId, links: { $exists: false } };
    await recipients.updateOne(unknown, { $set: { links } }, { session: tx.session });
  },

  /** Sets the content of a workflow's email whose row was added from a journal without one. */
  async keepContent(
    tx: Transaction,
    accountId: AccountId,
    { effectKey, contactId, contentId }: { effectKey: string; contactId: ContactId; contentId: string },
  ) {
    const unknown = { account_id: accountId, source: 'workflow' as const, source_key: effectKey, contact_id: contactId, content_id: '' };
    await recipients.updateOne(unknown, { $set: { content_id: contentId } }, { session: tx.session });
  },

  /**
   * Marks an email as delivered, never to be sent again, if an engagement at `at` proves it. Returns the previous row,
   * or null if nothing changed.
   */
  async markDelivered(tx: Transaction, accountId: AccountId, id: RecipientId, at: Date): Promise<RecipientDocument | null> {
    const { session } = tx;
    const open = { _id: id, account_id: accountId, $or: [...unproven] };
    const row = await recipients.findOne(open, { session });
    if (!row || (row.state !== 'sent' && !provesDelivery(row, at))) return null;
    const { $set, $unset } = settledUpdate('delivered', at);
    const sent_at = row.sent_at ?? row.handed_at ?? at;
    await recipients.updateOne({ ...open, state: row.state }, { $set: { ...$set, sent_at }, $unset }, { session });
    return row;
  },

  /**
   * Settles an email by what a provider or a report says about it, if its state allows. Returns the previous row, or null
   * if nothing changed.
   */
  async settleByFeedback(
    tx: Transaction,
    row: RecipientDocument,
    {
      state,
      reason,
      detail,
      at,
    }: { state: 'delivered' | 'bounced' | 'failed' | 'complained'; reason: string | null; detail: string | null; at: Date },
  ): Promise<RecipientDocument | null> {
    const wasHandedOver = row.handed_at !== undefined || row.state !== 'queued';
    if (!wasHandedOver || !acceptsFeedback(row, state)) return null;
    const { $unset } = settledUpdate('delivered', at);
    const isAccepted = state === 'delivered' || state === 'complained';
    const sent_at = row.sent_at ?? (isAccepted ? (row.handed_at ?? at) : null);
    const { modifiedCount } = await recipients.updateOne(
      { _id: row._id, account_id: row.account_id, state: row.state },
      {
        $set: { state, reason, sent_at, updated_at: at, tally_changed: true, ...(detail !== null && { detail: detail.slice(0, 1_000) }) },
        $unset,
      },
      { session: tx.session },
    );
    return modifiedCount === 1 ? row : null;
  },

  /** Marks the latest email sent to the contact as `complained`. Returns the previous row. */
  async markComplained(tx: Transaction, accountId: AccountId, contactId: ContactId, at: Date): Promise<RecipientDocument | null> {
    const { session } = tx;
    const sent = { account_id: accountId, contact_id: contactId, state: { $in: ['sent' as const, 'delivered' as const] } };
    const row = await recipients.findOne(sent, { session, sort: { sent_at: -1 } });
    if (row)
      await recipients.updateOne({ _id: row._id, account_id: accountId, state: row.state }, settledUpdate('complained', at), { session });
    return row;
  },

  /** Resolves up to 500 `unknown` rows: queues them again, or leaves them as they are. Returns the number of rows. */
  async resolveUnknown(
    tx: Transaction,
    accountId: AccountId,
    { campaignId, action, now }: { campaignId: CampaignId; action: 'resend' | 'leave'; now: Date },
  ): Promise<number> {
    const open = { account_id: accountId, source_id: campaignId, state: 'unknown' as const, reason: { $ne: 'left' } };
    const rows = await recipients
      .find(open, { session: tx.session, projection: { _id: 1 } })
      .limit(500)
      .toArray();
    if (rows.length === 0) return 0;
    const change =
      action === 'leave'
        ? { $set: { reason: 'left', updated_at: now }, $unset: { lease_token: '' as const } }
        : {
            $set: { state: 'queued' as const, reason: null, due_at: now, updated_at: now, tally_changed: true as const },
            $unset: { lease_token: '' as const },
          };
    const ids = rows.map(({ _id }) => _id);
    const { modifiedCount } = await recipients.updateMany({ ...open, _id: { $in: ids } }, change, { session: tx.session });
    return modifiedCount;
  },
});

/**
 * Emails that may have been delivered without proof; a queued one only if an earlier attempt is unknown. Deferred emails are
 * excluded: a mail server that scans an email opens it and follows its links, although it has not accepted it.
 */
const unproven = [{ state: { $in: ['sent' as const, 'unknown' as const] } }, { state: 'queued' as const, handed_at: { $exists: true } }];

/** Whether this state may replace the state of the row. An email that was opened or clicked has not bounced. */
function acceptsFeedback({ state, engaged_at }: RecipientDocument, next: 'delivered' | 'bounced' | 'failed' | 'complained'): boolean {
  const unproven = state === 'sent' || state === 'unknown' || state === 'queued';
  if (next === 'delivered') return unproven;
  if (next === 'complained') return unproven || state === 'delivered';
  return unproven || (state === 'delivered' && engaged_at === undefined);
}

const settledUpdate = (state: 'delivered' | 'complained', at: Date) => ({
  $set: { state, reason: null, updated_at: at, tally_changed: true as const },
  $unset: { due_at: '' as const, lease_until: '' as const, lease_token: '' as const },
});
