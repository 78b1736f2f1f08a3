import type { AccountId, ContactId, RecipientId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Device } from '../../engagement/device.ts';
import { type RecipientDocument, recipientsOf } from '../recipients/recipient-row.ts';
import { breakdownCountsOf } from './breakdowns.ts';

export type EngagementKind = 'opened' | 'clicked' | 'unsubscribed';

export type EngagementDocument = {
  _id: string;
  account_id: AccountId;
  source_id: string;
  recipient_id: RecipientId;
  kind: EngagementKind;
  /** Why it counts as automated; null if it counts as a person's. */
  machine: string | null;
  /** The kind of device, and the contact; missing in engagements of an earlier release. */
  device?: Device;
  contact_id?: ContactId;
  link: number | null;
  url: string | null;
  /** The event that published it. */
  event_id: string;
  user_agent: string;
  at: Date;
};

export type EngagementsStore = ReturnType<typeof createEngagementsStore>;

/** Opens, clicks and unsubscriptions, each stored once, and their tally on the ledger row, from which the counters are made. */
export function createEngagementsStore(db: Db) {
  const engagements = db.collection<EngagementDocument>('engagements');
  const recipients = recipientsOf(db);

  const tally = (tx: Transaction, row: RecipientDocument, change: Record<string, number>, at?: Date) =>
    recipients.updateOne(
      { _id: row._id, account_id: row.account_id },
      { $inc: change, $set: { tally_changed: true }, ...(at && { $max: { engaged_at: at } }) },
      { session: tx.session },
    );

  return {
    prepare: () =>
      prepareCollection(
        engagements,
        [
          { key: { account_id: 1, source_id: 1, kind: 1, at: 1 }, name: 'by_campaign' },
          { key: { account_id: 1, recipient_id: 1, at: 1 }, name: 'by_recipient' },
          {
            key: { account_id: 1, contact_id: 1, at: 1 },
            name: 'clicks_of_contact',
            partialFilterExpression: { contact_id: { $exists: true } },
          },
        ],
        db,
      ),

    /** Stores the engagement and adds it to its row's tally. Returns false if it is already stored. */
    async add(tx: Transaction, row: RecipientDocument, engagement: EngagementDocument): Promise<boolean> {
      const { _id, account_id, kind, machine, at } = engagement;
      const known = await engagements.findOne({ _id, account_id }, { session: tx.session, projection: { _id: 1 } });
      if (known) return false;
      await engagements.insertOne(engagement, { session: tx.session });
      const counted = kind === 'unsubscribed' ? 'tally.unsubscribed' : `tally.${kind}.${machine === null ? 'human' : 'machine'}`;
      await tally(
        tx,
        row,
        { [counted]: 1, ...inParts([breakdownCountsOf(engagement, machine === null ? 'human' : 'machine', 1, row.variant)]) },
        at,
      );
      return true;
    },

    /** The clicks on one email since a given time. */
    clicksSince: (tx: Transaction, row: RecipientDocument, since: Date) =>
      engagements
        .find({ account_id: row.account_id, recipient_id: row._id, at: { $gte: since }, kind: 'clicked' }, { session: tx.session })
        .toArray(),

    /** The latest 20 clicks of a contact by a person in a period, the last first. */
    clicksOfContact: (accountId: AccountId, contactId: ContactId, { from, to }: { from: Date; to: Date }, tx?: Transaction) =>
      engagements
        .find(
          { account_id: accountId, contact_id: contactId, kind: 'clicked', machine: null, at: { $gte: from, $lte: to } },
          { hint: 'clicks_of_contact', ...(tx && { session: tx.session }) },
        )
        .sort({ at: -1 })
        .limit(20)
        .toArray(),

    /** Reclassifies a person's clicks as automated. Returns those that changed. */
    async markMachine(tx: Transaction, row: RecipientDocument, clicks: readonly EngagementDocument[], why: string) {
      const human = clicks.filter(({ machine }) => machine === null);
      if (human.length === 0) return human;
      await engagements.updateMany(
        { account_id: row.account_id, _id: { $in: human.map(({ _id }) => _id) } },
        { $set: { machine: why } },
        { session: tx.session },
      );
      const moved = human.flatMap((click) => [
        breakdownCountsOf(click, 'human', -1, row.variant),
        breakdownCountsOf(click, 'machine', 1, row.variant),
      ]);
      await tally(tx, row, { 'tally.clicked.human': -human.length, 'tally.clicked.machine': human.length, ...inParts(moved) });
      return human;
    },

    /** Removes identifying data from engagements; they stay counted. Returns the number of engagements. */
    async erase(tx: Transaction, accountId: AccountId, recipientIds: readonly RecipientId[]): Promise<number> {
      const own = { account_id: accountId, recipient_id: { $in: [...recipientIds] } };
      const { matchedCount } = await engagements.updateMany(own, { $set: { user_agent: '', url: null } }, { session: tx.session });
      return matchedCount;
    },

    /** The latest 100 engagements with one email. */
    ofRecipient: (accountId: AccountId, recipientId: RecipientId) =>
      engagements.find({ account_id: accountId, recipient_id: recipientId }).sort({ at: -1 }).limit(100).toArray(),
  };
}

/** The sum of these changes, as changes of a row's fields. */
function inParts(changes: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const change of changes) for (const [part, by] of Object.entries(change)) sum[`parts.${part}`] = (sum[`parts.${part}`] ?? 0) + by;
  return sum;
}
