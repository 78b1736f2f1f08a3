import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type ChainDocument = { _id: string; account_id: AccountId; chain: string; at: Date };

export type ChainsStore = ReturnType<typeof createChainsStore>;

/** Longer than a tracked event takes to return. */
const keptSeconds = 2 * 24 * 60 * 60;

/** The only code that accesses the `chains` collection: which chain of effects tracked an event. */
export function createChainsStore(db: Db) {
  const chains = db.collection<ChainDocument>('chains');

  return {
    prepare: () => prepareCollection(chains, [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: keptSeconds }], db),

    add: (tx: Transaction, { eventId, accountId, chain, at }: { eventId: string; accountId: AccountId; chain: string; at: Date }) =>
      chains.insertOne({ _id: eventId, account_id: accountId, chain, at }, { session: tx.session }),

    /** The chain that tracked this event; null if no workflow did. */
    async of(tx: Transaction, accountId: AccountId, eventId: string): Promise<string | null> {
      const found = await chains.findOne({ _id: eventId, account_id: accountId }, { session: tx.session });
      return found?.chain ?? null;
    },
  };
}
