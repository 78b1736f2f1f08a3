import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
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
export type Recording = Recorded & { id: string; accountId: AccountId; contactId: ContactId; key: string };
export type Since = { accountId: AccountId; contactId: ContactId; keys: readonly string[]; since: Date; except: string | null };
export type OccurrencesStore = ReturnType<typeof createOccurrencesStore>;

/** Longer than an event may be late: one whose contact is identified within a day still counts. */
const keptSeconds = 2 * 24 * 60 * 60;

const maxRecent = 100;

/**
 * Owns the `occurrences` collection: what happened lately to contacts, if a workflow watches for it.
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

    /** Records each of them once per `id`. Returns those that are not yet recorded. */
    async add<Row extends Recording>(tx: Transaction, rows: readonly Row[], recorded_at: Date): Promise<Row[]> {
      if (rows.length === 0) return [];
      const { upsertedIds } = await occurrences.bulkWrite(
        rows.map(({ id, accountId: account_id, contactId: contact_id, key, at, event_id, occurred }) => ({
          updateOne: {
            filter: { _id: `${account_id} ${id} ${key}`, account_id },
            update: { $setOnInsert: { contact_id, key, at, event_id, occurred: JSON.stringify(occurred), recorded_at } },
            upsert: true,
          },
        })),
        { session: tx.session, ordered: false },
      );
      return rows.filter((_, index) => upsertedIds[index] !== undefined);
    },

    /** What happened to each contact since then, earliest first, without what `except` reported. */
    async since(tx: Transaction, queries: readonly Since[]): Promise<Recorded[][]> {
      if (queries.length === 0) return [];
      const either: Filter<OccurrenceDocument>[] = queries.map(({ accountId, contactId, keys, since, except }) => ({
        account_id: accountId,
        contact_id: contactId,
        key: { $in: [...keys] },
        at: { $gte: since },
        ...(except !== null && { event_id: { $ne: except } }),
      }));
      const [only] = either;
      const limit = maxRecent * queries.length;
      const found = await occurrences
        .find(queries.length === 1 && only ? only : { $or: either }, { session: tx.session })
        .sort({ at: 1 })
        .limit(limit)
        .toArray();
      // So much happened to some of them that others may be missing.
      if (queries.length > 1 && found.length === limit) {
        const half = Math.ceil(queries.length / 2);
        return [...(await this.since(tx, queries.slice(0, half))), ...(await this.since(tx, queries.slice(half)))];
      }
      return queries.map(({ accountId, contactId, keys, since, except }) =>
        found
          .filter((row) => row.account_id === accountId && row.contact_id === contactId && keys.includes(row.key))
          .filter(({ at, event_id }) => at >= since && event_id !== except)
          .slice(0, maxRecent)
          .map(({ occurred, at, event_id }) => ({ occurred: JSON.parse(occurred), at, event_id })),
      );
    },

    /** Assigns what happened to a merged contact to the survivor, without its profiles. */
    give: (tx: Transaction, accountId: AccountId, from: ContactId, to: ContactId) =>
      occurrences.updateMany(
        { account_id: accountId, contact_id: from, key: { $ne: 'contact' satisfies Occurred['type'] } },
        { $set: { contact_id: to } },
        { session: tx.session },
      ),

    erase: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]) =>
      occurrences.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }),
  };
}
