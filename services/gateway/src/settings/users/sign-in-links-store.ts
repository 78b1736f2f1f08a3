import { randomBytes } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';

/** `_id` is the hash of the link's token. */
type SignInLinkDocument = { _id: string; account_id: string; user_id: string; created_at: Date; expires_at: Date };

export type SignInLinksStore = ReturnType<typeof createSignInLinksStore>;

const hourMs = 60 * 60 * 1_000;

/** How long each kind of link opens: printed for the operator, sent to somebody invited, mailed to who forgot. */
const lifetimes = { printed: 24 * hourMs, invitation: 7 * 24 * hourMs, forgotten: hourMs } as const;
export type LinkKind = keyof typeof lifetimes;

type Options = { kind?: LinkKind; now?: Date; tx?: Transaction };

/** The only place that knows the `sign_in_links` collection. */
export function createSignInLinksStore(db: Db) {
  const links = db.collection<SignInLinkDocument>('sign_in_links');

  return {
    prepare: () =>
      prepareCollection(links, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    /** The token of a new link; only its hash is kept. */
    async make(user: { id: string; account_id: string }, { kind = 'printed', now = new Date(), tx }: Options = {}): Promise<string> {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + lifetimes[kind]);
      const link = { _id: secretHash(token), account_id: user.account_id, user_id: user.id, created_at: now, expires_at };
      await links.insertOne(link, tx && { session: tx.session });
      return token;
    },

    /** Whose link this is; it is used up by asking. Undefined when it is unknown, used or too old. */
    async use(tx: Transaction, token: string, now: Date) {
      const link = await links.findOneAndDelete({ _id: secretHash(token), expires_at: { $gt: now } }, { session: tx.session });
      return link ?? undefined;
    },

    /** No link that is still on its way opens anything for this person any more. */
    async withdraw(tx: Transaction, user: { id: string; account_id: string }) {
      await links.deleteMany({ account_id: user.account_id, user_id: user.id }, { session: tx.session });
    },

    /** The same for everybody, for a restored backup. Returns how many there were. */
    withdrawMadeBefore: async (at: Date) => (await links.deleteMany({ created_at: { $lt: at } })).deletedCount,
  };
}

/** In the fragment, which no server log and no Referer sees. */
export const signInUrl = (publicUrl: string, token: string) => `${publicUrl}/sign-in#token=${token}`;
