import type { AccountId, ContactId, RecipientId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Conversion } from '../../campaigns/campaign.ts';
import { type RecipientDocument, recipientsOf } from '../recipients/recipient-row.ts';
import { amountUnit } from '../revenue.ts';

/** An event of LeadPulse that was attributed to an email. */
type ConversionDocument = {
  _id: string;
  account_id: AccountId;
  source_id: string;
  recipient_id: RecipientId;
  event: string;
  value: { amount: number; currency: string } | null;
  at: Date;
};

/** An event that may be a conversion. */
export type Candidate = { id: string; event: string; value: { amount: number; currency: string } | null; at: Date };

/** What counts as a conversion of a campaign that does not say, and of other emails. */
export const defaultConversion: Conversion = { event: null, window_days: 7 };

export type ConversionsStore = ReturnType<typeof createConversionsStore>;

/** The latest rows of a contact that one event is compared for. */
const maxCompared = 20;

/** Conversions, each stored once, and their sum on the ledger row, from which the counters are made. */
export function createConversionsStore(db: Db) {
  const conversions = db.collection<ConversionDocument>('conversions');
  const recipients = recipientsOf(db);

  /** Stores the event under this ID and adds it to a sum on the row, once. Returns whether it was new. */
  async function addTo(
    tx: Transaction,
    sum: 'conversions' | 'outcomes',
    { row, stored }: { row: RecipientDocument; stored: Pick<ConversionDocument, '_id' | 'event' | 'value' | 'at'> },
  ): Promise<boolean> {
    const { session } = tx;
    const { _id: recipient_id, account_id, source_id } = row;
    const { _id, value } = stored;
    if (await conversions.findOne({ _id, account_id }, { session, projection: { _id: 1 } })) return false;
    await conversions.insertOne({ ...stored, account_id, source_id, recipient_id }, { session });
    const revenue = value && { [`${sum}.revenue.${value.currency}`]: Math.round(value.amount * amountUnit) };
    await recipients.updateOne(
      { _id: recipient_id, account_id },
      { $inc: { [`${sum}.count`]: 1, ...revenue }, $set: { tally_changed: true } },
      { session },
    );
    return true;
  }

  return {
    prepare: () => prepareCollection(conversions, [{ key: { account_id: 1, recipient_id: 1 } }], db),

    /** Attributes the event to the email, once. Returns whether it was new. */
    add: (tx: Transaction, row: RecipientDocument, { id, event, value, at }: Candidate) =>
      addTo(tx, 'conversions', { row, stored: { _id: `${row.account_id} ${id}`, event, value, at } }),

    /** Counts the event for the group of the row, once for each row, because a contact can be compared in several campaigns. */
    compare: (tx: Transaction, row: RecipientDocument, { id, event, value, at }: Candidate) =>
      addTo(tx, 'outcomes', { row, stored: { _id: `${row.account_id} ${id} ${row._id}`, event, value, at } }),

    /** The rows of a contact, in campaigns with a hold-out group, that were emailed or held out in a period. */
    async comparedOf(accountId: AccountId, contactId: ContactId, { from, to }: { from: Date; to: Date }, tx?: Transaction) {
      const rows = await recipients
        .find({ account_id: accountId, contact_id: contactId, compared: true }, { hint: 'compared', ...(tx && { session: tx.session }) })
        .sort({ _id: -1 })
        .limit(maxCompared)
        .toArray();
      return rows.flatMap((row) => {
        const since = row.held_out_at ?? row.handed_at;
        return since && since >= from && since <= to ? [{ row, since }] : [];
      });
    },
  };
}
