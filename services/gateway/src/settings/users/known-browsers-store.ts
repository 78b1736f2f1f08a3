import { createHash } from 'node:crypto';
import type { AccountId, UserId } from '@mp/ids';
import { networkOf } from '@mp/service-kit/client-address';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `_id` names the user, the network and the browser. */
type KnownBrowserDocument = { _id: string; account_id: AccountId; user_id: UserId; expires_at: Date };

export type KnownBrowsersStore = ReturnType<typeof createKnownBrowsersStore>;

/** A browser that has not signed in for so long is new again. */
const knownMs = 90 * 24 * 60 * 60 * 1_000;

/** From which browsers and networks each user has signed in. */
export function createKnownBrowsersStore(db: Db) {
  const browsers = db.collection<KnownBrowserDocument>('known_browsers');

  return {
    prepare: () =>
      prepareCollection(browsers, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    /** Remembers the browser. Returns whether it was known before. */
    async remember(
      tx: Transaction,
      user: { id: UserId; account_id: AccountId },
      { address, user_agent }: { address: string; user_agent: string },
      now: Date,
    ): Promise<boolean> {
      const browser = createHash('sha256').update(user_agent).digest('base64url');
      const { upsertedCount } = await browsers.updateOne(
        { _id: `${user.id} ${networkOf(address)} ${browser}` },
        { $set: { account_id: user.account_id, user_id: user.id, expires_at: new Date(now.getTime() + knownMs) } },
        { upsert: true, session: tx.session },
      );
      return upsertedCount === 0;
    },

    /** Forgets all browsers of a user who is removed. */
    async forget(tx: Transaction, user: { id: UserId; account_id: AccountId }) {
      await browsers.deleteMany({ account_id: user.account_id, user_id: user.id }, { session: tx.session });
    },
  };
}
