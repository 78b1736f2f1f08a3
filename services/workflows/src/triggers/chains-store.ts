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

    add: (tx: Transaction, tracked: readonly { eventId: string; accountId: AccountId; chain: string; at: Date }[]) =>
      chains.insertMany(
        tracked.map(({ eventId, accountId, chain, at }) => ({ _id: eventId, account_id: accountId, chain, at })),
        { session: tx.session },
      ),

    /** By event, the chain that tracked it; without those that no workflow tracked. */
    async of(tx: Transaction, events: readonly { accountId: AccountId; eventId: string }[]): Promise<Map<string, string>> {
      if (events.length === 0) return new Map();
      const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
      const those = { _id: { $in: events.map(({ eventId }) => eventId) }, account_id: { $in: accountIds } };
      const found = await chains.find(those, { session: tx.session }).toArray();
      return new Map(found.map(({ _id, chain }) => [_id, chain]));
    },
  };
}
