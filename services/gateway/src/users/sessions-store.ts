import { randomBytes } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../credentials/secret-hash.ts';

/** `_id` is the hash of the session's token. */
type SessionDocument = { _id: string; account_id: string; user_id: string; created_at: Date; expires_at: Date };

export type SessionsStore = ReturnType<typeof createSessionsStore>;

export const sessionLifetimeMs = 7 * 24 * 60 * 60 * 1_000;

/** The only place that knows the `sessions` collection. */
export function createSessionsStore(db: Db) {
  const sessions = db.collection<SessionDocument>('sessions');

  return {
    prepare: () =>
      prepareCollection(sessions, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    find: (hash: string) => sessions.findOne({ _id: hash }),

    /** A new session; its token is known to the browser only. */
    async open(tx: Transaction, user: { id: string; account_id: string }, now: Date) {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + sessionLifetimeMs);
      await sessions.insertOne(
        { _id: secretHash(token), account_id: user.account_id, user_id: user.id, created_at: now, expires_at },
        { session: tx.session },
      );
      return { token, expires_at };
    },

    /** Undefined when it was over already. */
    async close(tx: Transaction, hash: string) {
      return (await sessions.findOneAndDelete({ _id: hash }, { session: tx.session })) ?? undefined;
    },
  };
}
