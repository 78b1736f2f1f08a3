import { randomBytes } from 'node:crypto';
import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';

/** `_id` is the hash of the token that was emailed to the new address. */
type EmailChangeDocument = { _id: string; account_id: AccountId; user_id: UserId; email: string; created_at: Date; expires_at: Date };

export type EmailChangesStore = ReturnType<typeof createEmailChangesStore>;

const validMs = 24 * 60 * 60 * 1_000;

/** Sign-in addresses that users want and have not proven yet; at most one per user. */
export function createEmailChangesStore(db: Db) {
  const changes = db.collection<EmailChangeDocument>('email_changes');
  const ofUser = ({ id, account_id }: { id: UserId; account_id: AccountId }) => ({ account_id, user_id: id });

  return {
    prepare: () =>
      prepareCollection(changes, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    /** Begins a change, which replaces an earlier one, and returns its token; only the hash is stored. */
    async begin(tx: Transaction, user: { id: UserId; account_id: AccountId }, email: string, now: Date): Promise<string> {
      await changes.deleteMany(ofUser(user), { session: tx.session });
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + validMs);
      await changes.insertOne({ _id: secretHash(token), ...ofUser(user), email, created_at: now, expires_at }, { session: tx.session });
      return token;
    },

    /** Uses up the token and returns its change. Undefined if it is unknown, replaced, already used or expired. */
    async use(tx: Transaction, token: string, now: Date) {
      const change = await changes.findOneAndDelete({ _id: secretHash(token), expires_at: { $gt: now } }, { session: tx.session });
      return change ?? undefined;
    },

    /** Ends the change of a user, because someone else may have begun it. */
    async withdraw(tx: Transaction, user: { id: UserId; account_id: AccountId }) {
      await changes.deleteMany(ofUser(user), { session: tx.session });
    },
  };
}

/** The token is in the fragment, as that of a sign-in link. */
export const emailChangeUrl = (publicUrl: string, token: string) => `${publicUrl}/confirm-email#token=${token}`;
