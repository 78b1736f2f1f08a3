import { CredentialChanged } from '@mp/contracts/events/platform';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { type OauthClientRow, stateOfClient } from './oauth-client.ts';

type OauthClientDocument = Omit<OauthClientRow, 'id'> & { _id: string };

export type OauthClientsStore = ReturnType<typeof createOauthClientsStore>;

/** The only place that knows the `oauth_clients` collection. */
export function createOauthClientsStore(db: Db, outbox: Outbox) {
  const clients = db.collection<OauthClientDocument>('oauth_clients');

  return {
    prepare: () => prepareCollection(clients, [{ key: { account_id: 1, created_at: -1, _id: -1 } }], db),

    async insert(tx: Transaction, { id, ...fields }: OauthClientRow) {
      await clients.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    find: async (accountId: string, id: string, tx?: Transaction) =>
      rowOf(await clients.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })),
    /** For the token endpoint, where the account is not known yet. */
    findByClientId: async (id: string) => rowOf(await clients.findOne({ _id: id })),

    async list(accountId: string, { limit, cursor }: { limit: number; cursor: string | undefined }, cursors: Cursors) {
      const { items, pagination } = await findPage({
        collection: clients,
        filter: { account_id: accountId },
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'oauth_clients'],
      });
      return { items: items.map(rowFrom), pagination };
    },

    /** Changes the client and publishes the change to every gateway, for all its tokens. */
    async update(tx: Transaction, { id, account_id, ...fields }: OauthClientRow) {
      await clients.updateOne({ _id: id, account_id }, { $set: fields }, { session: tx.session });
      await outbox.add(tx, CredentialChanged, account_id, { credential_id: id, state: stateOfClient({ account_id, ...fields }) });
    },

    countWorking: (tx: Transaction, accountId: string) =>
      clients.countDocuments({ account_id: accountId, revoked_at: null }, { session: tx.session }),

    /** Moves `last_used_at` forward, never back, because gateways report independently. */
    async touch(usedAt: ReadonlyMap<string, number>) {
      if (usedAt.size === 0) return;
      const operations = [...usedAt].map(([id, at]) => ({
        updateOne: { filter: { _id: id }, update: { $max: { last_used_at: new Date(at) } } },
      }));
      await clients.bulkWrite(operations, { ordered: false });
    },
  };
}

function rowFrom({ _id, ...fields }: OauthClientDocument): OauthClientRow {
  return { id: _id, ...fields };
}

const rowOf = (document: OauthClientDocument | null): OauthClientRow | undefined => (document ? rowFrom(document) : undefined);
