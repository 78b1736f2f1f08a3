import type { AccountId, CampaignId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import type { StoredAbResult } from '../../ab-tests/ab-test.ts';
import { recipientsOf } from '../../ledger/recipients/recipient-row.ts';
import type { CampaignDocument } from '../campaign-document.ts';
import type { CampaignStatus } from '../campaign-states.ts';
import { campaignsOf } from '../campaigns-store.ts';

/** A row that waits for the winner has this reason, and no time at which it is due. */
export const awaitingWinner = 'awaiting_winner';

const releasedAtOnce = 500;

/** The states in which a test can still get its winner. A campaign without a rest is sent before its emails can be compared. */
export const comparedStatuses = ['sending', 'paused', 'sent'] as const satisfies CampaignStatus[];
export const isCompared = (status: CampaignStatus) => comparedStatuses.some((one) => one === status);

export type AbTestsStore = ReturnType<typeof createAbTestsStore>;

/** The progress of A/B tests. Every step is one guarded write, so that concurrent and repeated steps change nothing. */
export function createAbTestsStore(db: Db) {
  const campaigns = campaignsOf(db);
  const recipients = recipientsOf(db);
  const running = { status: { $in: [...comparedStatuses] }, 'ab_result.winner': null };

  return {
    /** Claims a test with a step that is due, for `leaseMs`. */
    claim: (leaseMs: number, suspended: Suspended): Promise<CampaignDocument | null> => {
      const now = new Date();
      return campaigns.findOneAndUpdate(
        { test_at: { $lte: now }, ...notSuspended(suspended) },
        { $set: { test_at: new Date(now.getTime() + leaseMs) } },
        { sort: { test_at: 1 }, returnDocument: 'after' },
      );
    },

    /** When the next step of any test is due. */
    nextDue: async (): Promise<Date | undefined> =>
      (await campaigns.findOne({ test_at: { $exists: true } }, { sort: { test_at: 1 }, projection: { test_at: 1 } }))?.test_at,

    /** When the next step is due; never if undefined. */
    async next({ _id, account_id, test_at = new Date(0) }: CampaignDocument, at: Date | undefined) {
      // A winner that was selected in the meantime is due at once.
      await campaigns.updateOne({ _id, account_id, test_at }, at ? { $set: { test_at: at } } : { $unset: { test_at: '' } });
    },

    /**
     * Whether an email of the sample has not been sent yet. Rows that await the winner are not due. One receiving domain that
     * rejects emails for now, perhaps for days, does not delay the winner for all others.
     */
    async isSampleWaiting({ _id, account_id }: Pick<CampaignDocument, '_id' | 'account_id'>): Promise<boolean> {
      const own = { account_id, source_id: _id };
      const due = await recipients.findOne(
        { ...own, due_at: { $exists: true }, state: 'queued', reason: { $ne: 'domain_unavailable' } },
        { projection: { _id: 1 }, hint: 'due' },
      );
      if (due) return true;
      return (await recipients.findOne({ ...own, state: 'sending' }, { projection: { _id: 1 }, hint: 'by_state' })) !== null;
    },

    /** Stores that the sample has been sent, once. The winner is selected at `decidesAt`; by a request if it is null. */
    async sampleSent({ _id, account_id }: CampaignDocument, at: Date, decidesAt: Date | null) {
      await campaigns.updateOne(
        { _id, account_id, ...running, 'ab_result.sample_sent_at': null },
        {
          $set: { 'ab_result.sample_sent_at': at.toISOString(), 'ab_result.decides_at': decidesAt?.toISOString() ?? null },
          $inc: { revision: 1 },
        },
      );
    },

    /** Stores the winner. Returns false if the test already has one, or the campaign was not sent. */
    async select(tx: Transaction, accountId: AccountId, id: CampaignId, result: Omit<StoredAbResult, 'sample_sent_at' | 'decides_at'>) {
      const { modifiedCount } = await campaigns.updateOne(
        { _id: id, account_id: accountId, ...running },
        {
          $set: {
            ...Object.fromEntries(Object.entries(result).map(([name, value]) => [`ab_result.${name}`, value])),
            test_at: new Date(),
            updated_at: new Date(),
          },
          $inc: { revision: 1 },
        },
        { session: tx.session },
      );
      return modifiedCount === 1;
    },

    /**
     * Queues up to 500 rows that await the winner, with the winner's content. A row is only ever queued from that state, so
     * that a crash or a second worker queues none twice. Returns false at the end.
     */
    async release({ _id, account_id }: CampaignDocument, winner: string): Promise<boolean> {
      const waiting = { account_id, source_id: _id, state: 'queued' as const, reason: awaitingWinner };
      const rows = await recipients
        .find(waiting, { projection: { _id: 1 }, hint: 'awaiting_winner' })
        .limit(releasedAtOnce)
        .toArray();
      if (rows.length === 0) return false;
      const now = new Date();
      await recipients.updateMany(
        { ...waiting, _id: { $in: rows.map((row) => row._id) } },
        { $set: { variant: winner, reason: null, due_at: now, updated_at: now, tally_changed: true } },
      );
      return true;
    },
  };
}
