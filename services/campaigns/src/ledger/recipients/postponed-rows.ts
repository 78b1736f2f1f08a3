import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection, Filter } from 'mongodb';
import { type Claimed, held, waiting } from './claimed-row.ts';
import { domainWaitFrom } from './domain-wait.ts';
import type { PostponeReason } from './recipient.ts';
import type { RecipientDocument } from './recipient-row.ts';

/** A claimed row that is due later, and why; with the revision of the settings if they are the reason. */
export type Postponed = { row: Claimed; until: Date; reason: PostponeReason; settings?: number };

/** Rows that wait for their scheduled time in the time zone of the contact. */
const scheduledFilter: Filter<RecipientDocument> = {
  state: 'queued',
  scheduled_for: { $exists: true },
  reason: { $in: [null, 'local_time'] },
};

/** Rows that are retried because their address was rejected temporarily. */
const retriedFilter: Filter<RecipientDocument> = { state: 'deferred', waits: { $exists: false } };

/** Rows that wait although they could be sent otherwise, and follow what they wait for. */
export const createPostponedRows = (recipients: Collection<RecipientDocument>) => ({
  /** Releases claimed rows that are due later, each with the reason. A row whose claim has expired is decided again. */
  async postpone(rows: readonly Postponed[]) {
    if (rows.length === 0) return;
    const now = new Date();
    await recipients.bulkWrite(
      rows.map(({ row, until, reason, settings }) => ({
        updateOne: {
          filter: { ...held(row), state: { $in: [...waiting] }, due_at: { $gt: now } },
          update: {
            $set: {
              due_at: until,
              // A deferred email keeps the reason for that.
              ...(row.state === 'queued' && { reason }),
              ...(settings !== undefined && { waits: { for: reason, settings } }),
              ...(reason === 'local_time' && { scheduled_for: until }),
              ...(reason === 'domain_unavailable' && { domain_wait: { from: domainWaitFrom(row), until } }),
            },
            $unset: { lease_token: '' as const },
          },
        },
      })),
      { ordered: false },
    );
  },

  /** Makes up to `limit` rows due that wait because of settings before this revision. Returns their number. */
  async recheckWaiting(accountId: AccountId, revision: number, limit: number): Promise<number> {
    const now = new Date();
    const earlier = { account_id: accountId, 'waits.settings': { $lt: revision }, due_at: { $gt: now } };
    const rows = await recipients
      .find(earlier, { projection: { _id: 1 }, hint: 'waits' })
      .limit(limit)
      .toArray();
    if (rows.length === 0) return 0;
    await recipients.updateMany({ ...earlier, _id: { $in: rows.map(({ _id }) => _id) } }, { $set: { due_at: now }, $unset: { waits: '' } });
    return rows.length;
  },

  /**
   * Makes the emails to a contact due that wait because of its previous time zone or address. Emails that are being prepared
   * are taken from their worker, because it may have read the previous contact.
   */
  async recheckContact(tx: Transaction, accountId: AccountId, contactId: ContactId, changed: { timezone: boolean; email: boolean }) {
    const causes: Filter<RecipientDocument>[] = [{ lease_token: { $exists: true } }];
    if (changed.timezone) causes.push({ 'waits.for': 'quiet_hours' }, scheduledFilter);
    if (changed.email) causes.push({ 'waits.for': 'domain_throttle' }, { reason: 'domain_unavailable' }, retriedFilter);
    await recipients.updateMany(
      { account_id: accountId, contact_id: contactId, state: { $in: [...waiting] }, due_at: { $exists: true }, $or: causes },
      { $set: { due_at: new Date() }, $unset: { waits: '', lease_token: '', ...(changed.email && { domain_wait: '' as const }) } },
      { session: tx.session },
    );
  },
});
