import { type AccountId, type RecipientId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Conversion } from '../campaigns/campaign.ts';
import { campaignsOf } from '../campaigns/campaigns-store.ts';
import { amountUnit } from '../engagements/contribution.ts';
import { type RecipientDocument, recipientsOf } from '../recipients/recipient-row.ts';

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

export const defaultConversion: Conversion = { event: null, window_days: 7 };

export type ConversionsStore = ReturnType<typeof createConversionsStore>;

/** Conversions, each stored once, and their sum on the ledger row, from which the counters are made. */
export function createConversionsStore(db: Db) {
  const conversions = db.collection<ConversionDocument>('conversions');
  const campaigns = campaignsOf(db);
  const recipients = recipientsOf(db);

  return {
    prepare: () => prepareCollection(conversions, [{ key: { account_id: 1, recipient_id: 1 } }], db),

    /** What counts as a conversion of this campaign, or of another source of emails. */
    async definitionOf(tx: Transaction, accountId: AccountId, sourceId: string): Promise<Conversion> {
      const own = { _id: trustedId<'campaign'>(sourceId), account_id: accountId };
      const campaign = await campaigns.findOne(own, { session: tx.session, projection: { conversion: 1 } });
      return campaign?.conversion ?? defaultConversion;
    },

    /** Attributes the event to the email, once. */
    async add(tx: Transaction, { _id: recipient_id, account_id, source_id }: RecipientDocument, { id, event, value, at }: Candidate) {
      const { session } = tx;
      const _id = `${account_id} ${id}`;
      if (await conversions.findOne({ _id, account_id }, { session, projection: { _id: 1 } })) return;
      await conversions.insertOne({ _id, account_id, source_id, recipient_id, event, value, at }, { session });
      const revenue = value && { [`conversions.revenue.${value.currency}`]: Math.round(value.amount * amountUnit) };
      await recipients.updateOne(
        { _id: recipient_id, account_id },
        { $inc: { 'conversions.count': 1, ...revenue }, $set: { tally_changed: true } },
        { session },
      );
    },
  };
}
