import { CredentialRevoked } from '@mp/contracts/events/platform';
import { type AccountId, newId, type UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';
import { newSecret } from '../../credentials/token-format.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ProvenBy } from '../second-factors/factor.ts';

/** How a user proves who they are before the second factor. A passkey that verifies the person is both. */
export type FirstFactor = 'link' | 'password' | 'passkey' | 'single_sign_on';

/** `_id` is the hash of the session token; `id` is public. */
export type SessionDocument = {
  _id: string;
  id: string;
  account_id: AccountId;
  user_id: UserId;
  /** How the user signed in. */
  by: FirstFactor;
  /** With what the second factor was last proven, and when. Null if it was not. Sessions of early releases lack both. */
  second_factor?: ProvenBy | null;
  factor_at?: Date | null;
  /** When a user without a second factor last sent the password in this session. */
  password_at?: Date;
  address: string;
  user_agent: string;
  created_at: Date;
  /** When the user last did something in it. Sessions of early releases lack it. */
  used_at?: Date;
  expires_at: Date;
};

type Opened = Pick<SessionDocument, 'by' | 'address' | 'user_agent'> & { second_factor: ProvenBy | null };

export type SessionsStore = ReturnType<typeof createSessionsStore>;

const sessionLifetimeMs = 7 * 24 * 60 * 60 * 1_000;

/** When the session ends unless it is used: after the lifetime, or after the time without use, that the account allows. */
export const endOfSession = (
  { created_at, used_at = created_at, expires_at }: Pick<SessionDocument, 'created_at' | 'used_at' | 'expires_at'>,
  { session_idle_minutes, session_lifetime_hours }: Pick<AccountRow, 'session_idle_minutes' | 'session_lifetime_hours'>,
): Date =>
  new Date(
    Math.min(
      expires_at.getTime(),
      used_at.getTime() + session_idle_minutes * 60_000,
      created_at.getTime() + session_lifetime_hours * 3_600_000,
    ),
  );

/** The maximum of sessions in a list. */
const maxListed = 100;

/** Owns the `sessions` collection. */
export function createSessionsStore(db: Db, outbox: Outbox) {
  const sessions = db.collection<SessionDocument>('sessions');

  async function close(tx: Transaction, session: SessionDocument) {
    await sessions.deleteOne({ _id: session._id }, { session: tx.session });
    await outbox.add(tx, CredentialRevoked, session.account_id, { key_id: session.user_id, hash: session._id });
  }

  const ofUser = ({ id, account_id }: { id: UserId; account_id: AccountId }) => ({ account_id, user_id: id });

  return {
    prepare: () =>
      prepareCollection(sessions, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    find: (hash: string) => sessions.findOne({ _id: hash }),

    list: (user: { id: UserId; account_id: AccountId }, now: Date) =>
      sessions
        .find({ ...ofUser(user), expires_at: { $gt: now } })
        .sort({ created_at: -1 })
        .limit(maxListed)
        .toArray(),

    /** Opens a session. Only the browser learns its token. */
    async open(
      tx: Transaction,
      user: { id: UserId; account_id: AccountId },
      { by, second_factor, address, user_agent }: Opened,
      now: Date,
    ) {
      const token = newSecret('session');
      const session: SessionDocument = {
        _id: secretHash(token),
        id: newId('session'),
        account_id: user.account_id,
        user_id: user.id,
        by,
        second_factor,
        factor_at: second_factor && now,
        address,
        user_agent: user_agent.slice(0, 300),
        created_at: now,
        used_at: now,
        expires_at: new Date(now.getTime() + sessionLifetimeMs),
      };
      await sessions.insertOne(session, { session: tx.session });
      return { token, session };
    },

    /** Notes that the user has just done something in the session. */
    async use(hash: string, now: Date) {
      await sessions.updateOne({ _id: hash }, { $max: { used_at: now } });
    },

    /** Notes that the second factor was proven in this session; null: the password of a user who has none. */
    async prove(tx: Transaction, hash: string, by: ProvenBy | null, now: Date) {
      const proven = by === null ? { password_at: now } : { second_factor: by, factor_at: now };
      await sessions.updateOne({ _id: hash }, { $set: proven }, { session: tx.session });
    },

    /** Ends the session and publishes that to every gateway. Returns it, or undefined if it had already ended. */
    async close(tx: Transaction, hash: string) {
      const session = await sessions.findOne({ _id: hash }, { session: tx.session });
      if (session) await close(tx, session);
      return session ?? undefined;
    },

    /** Ends one session of a user, or all except one. Returns the ended sessions. */
    async closeOf(tx: Transaction, user: { id: UserId; account_id: AccountId }, which: { id: string } | { except: string | undefined }) {
      const filter = 'id' in which ? { id: which.id } : which.except === undefined ? {} : { _id: { $ne: which.except } };
      const found = await sessions
        .find({ ...ofUser(user), ...filter }, { session: tx.session })
        .limit(500)
        .toArray();
      for (const session of found) await close(tx, session);
      return found;
    },
  };
}
