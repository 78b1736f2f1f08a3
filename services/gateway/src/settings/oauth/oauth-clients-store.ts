import { ApiError, notFound } from '@mp/contracts/errors';
import { CredentialChanged } from '@mp/contracts/events/platform';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { currentScopes, type StoredScopes } from '../../credentials/stored-scopes.ts';
import { newestFirst } from '../newest-first.ts';
import { type OauthClientRow, stateOfClient } from './oauth-client.ts';

/** Clients of earlier releases have no fields of connected applications. */
type Connectable = Pick<OauthClientRow, 'redirect_uris' | 'confidential'>;
type OauthClientDocument = Omit<OauthClientRow, 'id' | keyof StoredScopes | keyof Connectable> &
  StoredScopes &
  Partial<Connectable> & { _id: string };

export type OauthClientsStore = ReturnType<typeof createOauthClientsStore>;

/** Owns the `oauth_clients` collection. */
export function createOauthClientsStore(db: Db, outbox: Outbox) {
  const clients = db.collection<OauthClientDocument>('oauth_clients');

  return {
    prepare: () => prepareCollection(clients, [{ key: { account_id: 1, created_at: -1, _id: -1 } }], db),

    async insert(tx: Transaction, { id, ...fields }: OauthClientRow) {
      await clients.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    find: async (accountId: AccountId, id: string, tx?: Transaction) =>
      rowOf(await clients.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })),
    /** The client. Throws NOT_FOUND if it does not exist and INVALID_STATE if it is revoked. */
    async getActive(tx: Transaction, accountId: AccountId, id: string): Promise<OauthClientRow> {
      const client = rowOf(await clients.findOne({ _id: id, account_id: accountId }, { session: tx.session }));
      if (!client) throw notFound();
      if (client.revoked_at) throw new ApiError('INVALID_STATE', 'This client is revoked.');
      return client;
    },
    /** For the token endpoint, where the account is not known yet. */
    findByClientId: async (id: string) => rowOf(await clients.findOne({ _id: id })),

    list: newestFirst(clients, rowFrom),

    /** Changes the client and publishes the change to every gateway, for all its tokens. */
    async update(tx: Transaction, { id, account_id, ...fields }: OauthClientRow) {
      await clients.updateOne({ _id: id, account_id }, { $set: fields }, { session: tx.session });
      await outbox.add(tx, CredentialChanged, account_id, { credential_id: id, state: stateOfClient({ account_id, ...fields }) });
    },

    countWorking: (tx: Transaction, accountId: AccountId) =>
      clients.countDocuments({ account_id: accountId, revoked_at: null }, { session: tx.session }),

    /** Moves `last_used_at` forward, never back, because gateways report independently. */
    async touch(usedAt: ReadonlyMap<string, number>) {
      const operations = [...usedAt].map(([id, at]) => ({
        updateOne: { filter: { _id: id }, update: { $max: { last_used_at: new Date(at) } } },
      }));
      if (operations.length > 0) await clients.bulkWrite(operations, { ordered: false });
    },
  };
}

function rowFrom({ _id, ...fields }: OauthClientDocument): OauthClientRow {
  return { id: trustedId<'client'>(_id), redirect_uris: [], confidential: true, ...fields, ...currentScopes(fields) };
}

const rowOf = (document: OauthClientDocument | null): OauthClientRow | undefined => (document ? rowFrom(document) : undefined);
