import { randomBytes } from 'node:crypto';
import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';

/** `_id` is the hash of the link's token. */
type SignInLinkDocument = { _id: string; account_id: AccountId; user_id: UserId; created_at: Date; expires_at: Date };

export type SignInLinksStore = ReturnType<typeof createSignInLinksStore>;

const hourMs = 60 * 60 * 1_000;

/** How long each kind of link works: printed by a command, sent with an invitation, or emailed to reset a password. */
const lifetimes = { printed: 24 * hourMs, invitation: 7 * 24 * hourMs, forgotten: hourMs } as const;
type LinkKind = keyof typeof lifetimes;

type Options = { kind?: LinkKind; now?: Date; tx?: Transaction };

/** Owns the `sign_in_links` collection. */
export function createSignInLinksStore(db: Db) {
  const links = db.collection<SignInLinkDocument>('sign_in_links');

  async function useHashed(tx: Transaction, hash: string, now: Date) {
    const link = await links.findOneAndDelete({ _id: hash, expires_at: { $gt: now } }, { session: tx.session });
    return link ?? undefined;
  }

  return {
    prepare: () =>
      prepareCollection(links, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    /** Creates a link and returns its token; only the hash is stored. */
    async make(user: { id: UserId; account_id: AccountId }, { kind = 'printed', now = new Date(), tx }: Options = {}): Promise<string> {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + lifetimes[kind]);
      const link = { _id: secretHash(token), account_id: user.account_id, user_id: user.id, created_at: now, expires_at };
      await links.insertOne(link, tx && { session: tx.session });
      return token;
    },

    /** The link, which stays valid. Undefined if it is unknown, already used or expired. */
    find: async (token: string, now: Date) => (await links.findOne({ _id: secretHash(token), expires_at: { $gt: now } })) ?? undefined,

    /** Uses up the link and returns it. Undefined if it is unknown, already used or expired. */
    use: (tx: Transaction, token: string, now: Date) => useHashed(tx, secretHash(token), now),
    useHashed,

    /** Invalidates all links of a user. */
    async withdraw(tx: Transaction, user: { id: UserId; account_id: AccountId }) {
      await links.deleteMany({ account_id: user.account_id, user_id: user.id }, { session: tx.session });
    },

    /** Invalidates all links created before `at`, after a backup was restored. Returns how many there were. */
    withdrawMadeBefore: async (at: Date) => (await links.deleteMany({ created_at: { $lt: at } })).deletedCount,
  };
}

/** The token is in the fragment, which does not appear in server logs or the Referer header. */
export const signInUrl = (publicUrl: string, token: string) => `${publicUrl}/sign-in#token=${token}`;
