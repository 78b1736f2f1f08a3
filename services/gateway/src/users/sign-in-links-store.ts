import { randomBytes } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../credentials/secret-hash.ts';

/** `_id` is the hash of the link's token. */
type SignInLinkDocument = { _id: string; account_id: string; user_id: string; created_at: Date; expires_at: Date };

export type SignInLinksStore = ReturnType<typeof createSignInLinksStore>;

const lifetimeMs = 24 * 60 * 60 * 1_000;

/** The only place that knows the `sign_in_links` collection. */
export function createSignInLinksStore(db: Db) {
  const links = db.collection<SignInLinkDocument>('sign_in_links');

  return {
    prepare: () => prepareCollection(links, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], db),

    /** The token of a new link; only its hash is kept. */
    async make(user: { id: string; account_id: string }, now = new Date()): Promise<string> {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + lifetimeMs);
      await links.insertOne({ _id: secretHash(token), account_id: user.account_id, user_id: user.id, created_at: now, expires_at });
      return token;
    },

    /** Whose link this is; it is used up by asking. Undefined when it is unknown, used or older than a day. */
    async use(tx: Transaction, token: string, now: Date) {
      const link = await links.findOneAndDelete({ _id: secretHash(token), expires_at: { $gt: now } }, { session: tx.session });
      return link ?? undefined;
    },
  };
}
