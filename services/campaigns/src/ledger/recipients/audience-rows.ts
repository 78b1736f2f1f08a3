import type { AccountId, CampaignId, ContactId, RecipientId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { RecipientDocument } from './recipient-row.ts';

/** The rows of a frozen audience as a freeze writes and removes them. */
export const createAudienceRows = (recipients: Collection<RecipientDocument>) => ({
  async insert(tx: Transaction, rows: readonly RecipientDocument[]) {
    if (rows.length > 0) await recipients.insertMany([...rows], { session: tx.session });
  },

  /** Which of these contacts already have a row of this source. */
  async existing(
    accountId: AccountId,
    {
      source,
      key,
      contactIds,
      tx,
    }: { source: RecipientDocument['source']; key: string; contactIds: readonly ContactId[]; tx?: Transaction | undefined },
  ) {
    const rows = await recipients
      .find(
        { account_id: accountId, source, source_key: key, contact_id: { $in: [...contactIds] } },
        { projection: { contact_id: 1 }, hint: 'once', ...(tx && { session: tx.session }) },
      )
      .toArray();
    return new Set(rows.map(({ contact_id }) => contact_id));
  },

  /** Up to 500 rows of a freeze that failed: none of them was ever handed to a mail server. */
  async neverSent(accountId: AccountId, campaignId: CampaignId): Promise<RecipientId[]> {
    const rows = await recipients
      .find({ account_id: accountId, source_id: campaignId, ...untouched }, { projection: { _id: 1 }, hint: 'by_state' })
      .limit(500)
      .toArray();
    return rows.map(({ _id }) => _id);
  },

  /** Removes them and returns their number. */
  async removeNeverSent(tx: Transaction, accountId: AccountId, ids: readonly RecipientId[]): Promise<number> {
    const { deletedCount } = await recipients.deleteMany(
      { account_id: accountId, _id: { $in: [...ids] }, ...untouched },
      { session: tx.session },
    );
    return deletedCount;
  },

  /** Marks up to 500 waiting rows of a cancelled campaign as skipped. Returns the number of rows. */
  async cancelWaiting(accountId: AccountId, campaignId: CampaignId): Promise<number> {
    const waiting = { account_id: accountId, source_id: campaignId, state: { $in: ['queued' as const, 'deferred' as const] } };
    const rows = await recipients
      .find(waiting, { projection: { _id: 1 }, hint: 'by_state' })
      .limit(500)
      .toArray();
    if (rows.length === 0) return 0;
    const ids = rows.map(({ _id }) => _id);
    await recipients.updateMany(
      { ...waiting, _id: { $in: ids } },
      {
        $set: { state: 'skipped', reason: 'cancelled', updated_at: new Date(), tally_changed: true },
        $unset: { due_at: '', lease_token: '' },
      },
    );
    return rows.length;
  },
});

/** Rows as the freeze writes them. */
const untouched = {
  state: { $in: ['queued' as const, 'skipped' as const] },
  reason: { $in: [null, 'excluded', 'awaiting_winner'] },
  attempts: 0,
};
