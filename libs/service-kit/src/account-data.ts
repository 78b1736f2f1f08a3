import type { AccountId } from '@mp/ids';
import type { Mongo, Transaction } from './mongo.ts';

/** Collections whose documents belong to no account, or are removed by their owner: the outbox with its positions, receipts never. */
const withoutAccounts = new Set([
  'inbox',
  'streams',
  'once',
  'leases',
  'outbox',
  'account_positions',
  'account_erasures',
  'account_deletions',
]);

/** Credentials, and responses stored for retries. */
const notExported = new Set([
  ...['sessions', 'oauth_tokens', 'oauth_codes', 'sign_in_links', 'sign_in_steps', 'recovery_codes', 'single_sign_on_states'],
  'idempotency_claims',
]);

/** Hashed or sealed: of no use to anyone outside the platform. */
const secrets = new Set([
  'secret',
  'secrets',
  'sealed_secret',
  'private_key',
  'password',
  'api_keys.hash',
  'oauth_grants.hashes',
  'webhooks.headers',
]);

const withoutSecrets = (collection: string, document: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !secrets.has(name) && !secrets.has(`${collection}.${name}`)));

const maxAtOnce = 500;

/** The id of a document that belongs to an account is always text. */
type AccountDocument = { _id: string; account_id?: AccountId };

/** Every document of an account carries `account_id`; a few counters have the account's id as their own. */
const ofAccount = (accountId: AccountId) => ({ $or: [{ account_id: accountId }, { _id: accountId }] });

/**
 * Everything a service stores about an account, whatever the collection: it reads the list of collections from MongoDB, so that a new
 * collection cannot be forgotten.
 */
export function createAccountData({ db, transaction }: Pick<Mongo, 'db' | 'transaction'>) {
  async function collections(): Promise<string[]> {
    const found = await db.listCollections({}, { nameOnly: true }).toArray();
    return found.map(({ name }) => name).filter((name) => !withoutAccounts.has(name) && !name.startsWith('system.'));
  }

  return {
    /**
     * Deletes the account's documents in batches. `onRemoved` writes the count of a batch in its transaction, so that the counts are
     * exact whichever process removed them.
     */
    async erase(accountId: AccountId, onRemoved: (tx: Transaction, collection: string, count: number) => Promise<void>) {
      for (const name of await collections()) {
        const collection = db.collection<AccountDocument>(name);
        const remove = (ids: readonly string[]) =>
          transaction({ correlationId: accountId, causationId: null }, async (tx) => {
            const filter = { _id: { $in: [...ids] }, ...ofAccount(accountId) };
            const { deletedCount } = await collection.deleteMany(filter, { session: tx.session });
            if (deletedCount > 0) await onRemoved(tx, name, deletedCount);
          });
        let batch: string[] = [];
        for await (const { _id } of collection.find(ofAccount(accountId), { projection: { _id: 1 } })) {
          batch.push(_id);
          if (batch.length < maxAtOnce) continue;
          await remove(batch);
          batch = [];
        }
        if (batch.length > 0) await remove(batch);
      }
    },

    /** Reads the account's documents without secrets, one collection after the other. */
    async *read(accountId: AccountId): AsyncGenerator<{ collection: string; document: Record<string, unknown> }> {
      for (const collection of (await collections()).toSorted()) {
        if (notExported.has(collection)) continue;
        for await (const document of db.collection<AccountDocument>(collection).find(ofAccount(accountId)))
          yield { collection, document: withoutSecrets(collection, document) };
      }
    },
  };
}
