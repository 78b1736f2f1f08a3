import { CredentialRevoked } from '@mp/contracts/events/platform';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import type { ApiKeyRow } from './api-key.ts';

type ApiKeyDocument = Omit<ApiKeyRow, 'id'> & { _id: string };

export type ApiKeysStore = ReturnType<typeof createApiKeysStore>;

/** The only place that knows the `api_keys` collection. */
export function createApiKeysStore(db: Db, outbox: Outbox) {
  const keys = db.collection<ApiKeyDocument>('api_keys');

  return {
    prepare: () => prepareCollection(keys, [{ key: { hash: 1 }, unique: true }, { key: { account_id: 1, created_at: -1, _id: -1 } }], db),

    async insert(tx: Transaction, { id, ...fields }: ApiKeyRow) {
      await keys.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    findByHash: async (hash: string) => rowOf(await keys.findOne({ hash })),
    find: async (accountId: string, id: string, tx?: Transaction) =>
      rowOf(await keys.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })),

    async list(accountId: string, { limit, cursor }: { limit: number; cursor: string | undefined }, cursors: Cursors) {
      const { items, pagination } = await findPage({
        collection: keys,
        filter: { account_id: accountId },
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'api_keys'],
      });
      return { items: items.map(({ _id, ...fields }) => ({ id: _id, ...fields })), pagination };
    },

    /** Ends the key and tells every gateway. Undefined when there is no such key. */
    async revoke(tx: Transaction, accountId: string, id: string): Promise<ApiKeyRow | undefined> {
      const key = rowOf(
        await keys.findOneAndUpdate(
          { _id: id, account_id: accountId, revoked_at: null },
          { $set: { revoked_at: new Date() } },
          { session: tx.session, returnDocument: 'after' },
        ),
      );
      if (key) await outbox.add(tx, CredentialRevoked, accountId, { key_id: id, hash: key.hash });
      return key;
    },

    /** Moves `last_used_at` forward, never back: gateways report at their own pace. */
    async touch(usedAt: ReadonlyMap<string, number>) {
      if (usedAt.size === 0) return;
      const operations = [...usedAt].map(([id, at]) => ({
        updateOne: { filter: { _id: id }, update: { $max: { last_used_at: new Date(at) } } },
      }));
      await keys.bulkWrite(operations, { ordered: false });
    },
  };
}

function rowOf(document: ApiKeyDocument | null): ApiKeyRow | undefined {
  if (!document) return undefined;
  const { _id, ...fields } = document;
  return { id: _id, ...fields };
}
