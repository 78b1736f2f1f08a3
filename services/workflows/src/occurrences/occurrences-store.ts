import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Occurred } from '../runs/run.ts';

type OccurrenceDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  key: string;
  /** When it happened. */
  at: Date;
  /** The event that reported it. */
  event_id: string;
  /** JSON, because property names can contain characters that MongoDB 4.0 does not accept. */
  occurred: string;
  recorded_at: Date;
};

export type Recorded = { occurred: Occurred; at: Date; event_id: string };
export type OccurrencesStore = ReturnType<typeof createOccurrencesStore>;

/** Longer than an event may be late: one whose contact is identified within a day still counts. */
const keptSeconds = 2 * 24 * 60 * 60;

const maxRecent = 100;

/**
 * The only code that accesses the `occurrences` collection: what happened lately to contacts, if a workflow watches for it.
 * A run that starts to wait finds here what happened just before.
 */
export function createOccurrencesStore(db: Db) {
  const occurrences = db.collection<OccurrenceDocument>('occurrences');

  return {
    prepare: () =>
      prepareCollection(
        occurrences,
        [
          { key: { account_id: 1, contact_id: 1, key: 1, at: 1 } },
          { key: { recorded_at: 1 }, name: 'expiry', expireAfterSeconds: keptSeconds },
        ],
        db,
      ),

    /** Records it once per `id`. Returns false when it is already recorded. */
    async add(
      tx: Transaction,
      row: { id: string; accountId: AccountId; contactId: ContactId; key: string; recordedAt: Date } & Recorded,
    ): Promise<boolean> {
      const { id, accountId: account_id, contactId: contact_id, key, at, event_id, occurred, recordedAt: recorded_at } = row;
      const { upsertedCount } = await occurrences.updateOne(
        { _id: `${account_id} ${id} ${key}`, account_id },
        { $setOnInsert: { contact_id, key, at, event_id, occurred: JSON.stringify(occurred), recorded_at } },
        { session: tx.session, upsert: true },
      );
      return upsertedCount === 1;
    },

    /** What happened to the contact since then, earliest first, without what `except` reported. */
    async since(
      tx: Transaction,
      {
        accountId,
        contactId,
        keys,
        since,
        except,
      }: { accountId: AccountId; contactId: ContactId; keys: readonly string[]; since: Date; except: string | null },
    ): Promise<Recorded[]> {
      const found = await occurrences
        .find(
          {
            account_id: accountId,
            contact_id: contactId,
            key: { $in: [...keys] },
            at: { $gte: since },
            ...(except !== null && { event_id: { $ne: except } }),
          },
          { session: tx.session },
        )
        .sort({ at: 1 })
        .limit(maxRecent)
        .toArray();
      return found.map(({ occurred, at, event_id }) => ({ occurred: JSON.parse(occurred), at, event_id }));
    },

    /** Assigns what happened to a merged contact to the survivor. */
    give: (tx: Transaction, accountId: AccountId, from: ContactId, to: ContactId) =>
      occurrences.updateMany({ account_id: accountId, contact_id: from }, { $set: { contact_id: to } }, { session: tx.session }),

    erase: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]) =>
      occurrences.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }),
  };
}
