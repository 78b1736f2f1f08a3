import { ApiKeyCreated, ApiKeyRevoked, CredentialChanged, CredentialRevoked } from '@mp/contracts/events/platform';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { allowedBy } from '../../credentials/credential.ts';
import { memoizedParse } from '../../credentials/memoized-parse.ts';
import { currentScopes, type StoredScopes } from '../../credentials/stored-scopes.ts';
import { newestFirst } from '../newest-first.ts';
import { type ApiKeyRow, stateOfKey } from './api-key.ts';

type ApiKeyDocument = Omit<ApiKeyRow, 'id' | keyof StoredScopes> & StoredScopes & { _id: string };

const deciding = {
  account_id: 1,
  created_by: 1,
  created_for: 1,
  hash: 1,
  permission: 1,
  scopes: 1,
  scopes_version: 1,
  ip_allow: 1,
  expires_at: 1,
  revoked_at: 1,
} as const;

const parse = memoizedParse(({ _id, ip_allow, ...fields }: Pick<ApiKeyDocument, '_id' | keyof typeof deciding>) => ({
  id: trustedId<'key'>(_id),
  ...fields,
  ...currentScopes(fields),
  allowsAddress: allowedBy(ip_allow),
}));
type DecidingKey = ReturnType<typeof parse>;

export type ApiKeysStore = ReturnType<typeof createApiKeysStore>;

/** Owns the `api_keys` collection. */
export function createApiKeysStore(db: Db, outbox: Outbox) {
  const keys = db.collection<ApiKeyDocument>('api_keys');
  const working = (accountId: AccountId, now: Date) => ({
    account_id: accountId,
    revoked_at: null,
    $or: [{ expires_at: null }, { expires_at: { $gt: now } }],
  });

  async function update(tx: Transaction, { id, account_id, ...fields }: ApiKeyRow) {
    await keys.updateOne({ _id: id, account_id }, { $set: fields }, { session: tx.session });
    await outbox.add(tx, CredentialChanged, account_id, { credential_id: id, state: stateOfKey({ account_id, ...fields }) });
  }

  const publishRevoked = (tx: Transaction, key: ApiKeyRow, at: Date) => outbox.add(tx, ApiKeyRevoked, key.account_id, eventOf(key, at));

  return {
    /** Notifies webhooks that the key was revoked. */
    publishRevoked,

    prepare: () => prepareCollection(keys, [{ key: { hash: 1 }, unique: true }, { key: { account_id: 1, created_at: -1, _id: -1 } }], db),

    async insert(tx: Transaction, { id, ...fields }: ApiKeyRow) {
      await keys.insertOne({ _id: id, ...fields }, { session: tx.session });
      await outbox.add(tx, ApiKeyCreated, fields.account_id, eventOf({ id, ...fields }, fields.created_at));
    },

    /** The fields that requests depend on, for the keys with these hashes. Unknown hashes are omitted. */
    async findByHashes(hashes: readonly string[]): Promise<DecidingKey[]> {
      const found = keys.find<Uint8Array>({ hash: { $in: [...hashes] } }, { projection: deciding, raw: true });
      return (await found.toArray()).map(parse);
    },

    find: async (accountId: AccountId, id: string, tx?: Transaction) =>
      rowOf(await keys.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })),

    list: newestFirst(keys, rowFrom),

    /** Changes the key and publishes the change to every gateway. */
    update,

    /** Revokes the key and publishes that to every gateway. */
    async revoke(tx: Transaction, key: ApiKeyRow): Promise<ApiKeyRow> {
      const at = new Date();
      const revoked = { ...key, revoked_at: at };
      await update(tx, revoked);
      await outbox.add(tx, CredentialRevoked, key.account_id, { key_id: key.id, hash: key.hash });
      await publishRevoked(tx, key, at);
      return revoked;
    },

    countWorking: (tx: Transaction, accountId: AccountId, now: Date) =>
      keys.countDocuments(working(accountId, now), { session: tx.session }),

    /** The number of keys, except one, that can manage keys and stay valid until `until`. */
    countAdminKeys: (tx: Transaction, accountId: AccountId, exceptId: string, until: Date) =>
      keys.countDocuments(
        {
          account_id: accountId,
          _id: { $ne: exceptId },
          revoked_at: null,
          permission: 'admin',
          rotated_to: null,
          $and: [
            { $or: [{ expires_at: null }, { expires_at: { $gte: until } }] },
            { $or: [{ scopes: null }, { scopes: 'settings:keys' }, { scopes: 'settings:write', scopes_version: { $exists: false } }] },
          ],
        },
        { session: tx.session },
      ),

    /** Moves `last_used_at` forward, never back, because gateways report independently. */
    async touch(usedAt: ReadonlyMap<string, number>) {
      const operations = [...usedAt].map(([id, at]) => ({
        updateOne: { filter: { _id: id }, update: { $max: { last_used_at: new Date(at) } } },
      }));
      if (operations.length > 0) await keys.bulkWrite(operations, { ordered: false });
    },
  };
}

function rowFrom({ _id, ...fields }: ApiKeyDocument): ApiKeyRow {
  return { id: trustedId<'key'>(_id), ...fields, ...currentScopes(fields) };
}

const rowOf = (document: ApiKeyDocument | null): ApiKeyRow | undefined => (document ? rowFrom(document) : undefined);

const eventOf = ({ id, name, permission, scopes }: ApiKeyRow, at: Date) => ({
  api_key_id: id,
  name,
  permission,
  scopes: scopes && [...scopes],
  at: at.toISOString(),
});
