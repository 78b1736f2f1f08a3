import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type AttributeType, type AttributeTypes, maxAttributeKeys } from './attribute-type.ts';

type AttributeDocument = {
  _id: string;
  account_id: AccountId;
  key: string;
  type: AttributeType;
  created_at: Date;
  count?: number;
  counted_at?: Date;
};

export type Attribute = { key: string; type: AttributeType; created_at: Date; count: number | null; counted_at: Date | null };
export type AttributesStore = ReturnType<typeof createAttributesStore>;

/** One row per account, written before declaring keys: of two concurrent transactions, one restarts and counts the other's keys. */
type TurnDocument = { _id: string; account_id: AccountId; taken: number };

/** Owns the `attributes` collection, the keys of each account with their types, and `attribute_turns`. */
export function createAttributesStore(db: Db) {
  const attributes = db.collection<AttributeDocument>('attributes');
  const turns = db.collection<TurnDocument>('attribute_turns');
  const idOf = (accountId: AccountId, key: string) => `${accountId} ${key}`;

  return {
    async prepare() {
      await prepareCollection(attributes, [{ name: 'key', key: { account_id: 1, key: 1 }, unique: true }], db);
      await prepareCollection(turns, [{ name: 'account', key: { account_id: 1 } }], db);
    },

    async typesOf(accountId: AccountId, keys: readonly string[]): Promise<Map<string, AttributeType>> {
      if (keys.length === 0) return new Map();
      const rows = await attributes.find({ account_id: accountId, key: { $in: [...keys] } }).toArray();
      return new Map(rows.map(({ key, type }) => [key, type]));
    },

    /** How many more keys the account may have. */
    room: async (accountId: AccountId) => Math.max(0, maxAttributeKeys - (await attributes.countDocuments({ account_id: accountId }))),

    /**
     * Stores the types of new keys. Restarts the transaction if another one has declared keys in the meantime, because the
     * account context, and thus which attributes are rejected, may have changed.
     */
    async declare(tx: Transaction, accountId: AccountId, types: AttributeTypes, now: Date) {
      const entries = [...types];
      if (entries.length === 0) return;
      const turn = { $set: { account_id: accountId }, $inc: { taken: 1 } };
      await turns.updateOne({ _id: accountId }, turn, { session: tx.session, upsert: true });
      const known = await attributes.countDocuments({ account_id: accountId }, { session: tx.session });
      if (known + entries.length > maxAttributeKeys) throw transientError('the account reached its maximum of attribute keys concurrently');
      const { upsertedCount } = await attributes.bulkWrite(
        entries.map(([key, type]) => ({
          updateOne: {
            filter: { _id: idOf(accountId, key) },
            update: { $setOnInsert: { account_id: accountId, key, type, created_at: now } },
            upsert: true,
          },
        })),
        { session: tx.session },
      );
      if (upsertedCount < entries.length) throw transientError('the attribute was declared concurrently');
    },

    /** In key order. */
    async page(accountId: AccountId, after: string | null, limit: number): Promise<Attribute[]> {
      const rows = await attributes
        .find({ account_id: accountId, ...(after !== null && { key: { $gt: after } }) })
        .sort({ key: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ key, type, created_at, count, counted_at }) => ({
        key,
        type,
        created_at,
        count: count ?? null,
        counted_at: counted_at ?? null,
      }));
    },

    async keepCount(accountId: AccountId, key: string, count: number, at: Date) {
      await attributes.updateOne({ _id: idOf(accountId, key) }, { $set: { count, counted_at: at } });
    },
  };
}
