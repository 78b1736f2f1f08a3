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

const maxAtOnce = 500;

/** The id of a document that belongs to an account is always text. */
type AccountDocument = { _id: string; account_id?: AccountId };

/** Every document of an account carries `account_id`; a few counters have the account's id as their own. */
const ofAccount = (accountId: AccountId) => ({ $or: [{ account_id: accountId }, { _id: accountId }] });

/**
 * Everything a service stores about an account, whatever the collection: it reads the list of collections from MongoDB, so that a new
 * collection cannot be forgotten.
 */
export function createAccountDocuments({ db, transaction }: Pick<Mongo, 'db' | 'transaction'>) {
  async function collections(): Promise<string[]> {
    const found = await db.listCollections({}, { nameOnly: true }).toArray();
    return found.map(({ name }) => name).filter((name) => !withoutAccounts.has(name) && !name.startsWith('system.'));
  }

  return {
    collections,

    /** The account's documents in a collection. */
    find: (collection: string, accountId: AccountId) => db.collection<AccountDocument>(collection).find(ofAccount(accountId)),

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
  };
}
