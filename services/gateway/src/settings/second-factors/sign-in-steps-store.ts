import { randomBytes } from 'node:crypto';
import type { AccountId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';
import type { PendingLink } from '../single-sign-on/finish-link.ts';
import type { FirstFactor } from '../users/sessions-store.ts';
import type { Owner } from './factor.ts';

/** What a step is for: choosing an account, proving a second factor after the first, or what a browser signs with a passkey. */
type Purpose = 'account_choice' | 'second_factor' | 'passkey_sign_in' | 'passkey_proof' | 'passkey_registration';

/**
 * `_id` is the hash of the token or challenge that the browser has, followed by the account if there are several to choose from. A passkey
 * that signs in alone has no user yet.
 */
type SignInStepDocument = {
  _id: string;
  purpose: Purpose;
  account_id: AccountId | null;
  user_id: UserId | null;
  /** How the first factor was proven. */
  by: FirstFactor | null;
  /** The identity that is linked to the user then. */
  link?: PendingLink;
  expires_at: Date;
};

type First = { by: FirstFactor; link?: PendingLink };
type Begun = First & { user: Owner };

type Challenge = Exclude<Purpose, 'account_choice' | 'second_factor'>;

export type SignInStepsStore = ReturnType<typeof createSignInStepsStore>;

const minuteMs = 60_000;
const lifetimeMs: Record<Purpose, number> = {
  account_choice: 10 * minuteMs,
  second_factor: 10 * minuteMs,
  passkey_sign_in: 5 * minuteMs,
  passkey_proof: 5 * minuteMs,
  passkey_registration: 5 * minuteMs,
};

/** Owns the `sign_in_steps` collection: what a browser has begun and may finish once. */
export function createSignInStepsStore(db: Db) {
  const steps = db.collection<SignInStepDocument>('sign_in_steps');
  const owned = (user: Owner | null) => ({ account_id: user?.account_id ?? null, user_id: user?.id ?? null });
  const choiceId = (token: string, accountId: AccountId) => `${secretHash(token)} ${accountId}`;
  /** The steps of a choice are neighbors: `!` follows the space. */
  const choiceOf = (token: string) => ({
    ...{ purpose: 'account_choice' as const, _id: { $gt: `${secretHash(token)} `, $lt: `${secretHash(token)}!` } },
  });
  const begunOf = ({ account_id, user_id, by, link }: SignInStepDocument) =>
    account_id && user_id && by ? { account_id, id: user_id, by, link } : undefined;

  return {
    prepare: () =>
      prepareCollection(steps, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, user_id: 1 } }], db),

    /** Begins the step between the first and the second factor. Only the browser learns its token. */
    async begin(tx: Transaction, { user, by, link }: Begun, now: Date): Promise<{ token: string; expires_at: Date }> {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + lifetimeMs.second_factor);
      const step = { _id: secretHash(token), purpose: 'second_factor' as const, ...owned(user), by, ...(link && { link }), expires_at };
      await steps.insertOne(step, { session: tx.session });
      return { token, expires_at };
    },

    /** The user and the first factor of a step that is not finished. */
    async find(token: string, now: Date) {
      const found = await steps.findOne({ _id: secretHash(token), purpose: 'second_factor', expires_at: { $gt: now } });
      return found ? begunOf(found) : undefined;
    },

    /** Finishes the step. False if it is finished already or withdrawn. */
    async finish(tx: Transaction, token: string): Promise<boolean> {
      const { deletedCount } = await steps.deleteOne({ _id: secretHash(token), purpose: 'second_factor' }, { session: tx.session });
      return deletedCount === 1;
    },

    /** Begins the choice among the accounts of these users: a step of each, so that what ends the steps of a user ends that choice. */
    async beginChoice(
      tx: Transaction,
      users: readonly Owner[],
      { by, link }: First,
      now: Date,
    ): Promise<{ token: string; expires_at: Date }> {
      const token = randomBytes(32).toString('base64url');
      const expires_at = new Date(now.getTime() + lifetimeMs.account_choice);
      const step = { purpose: 'account_choice' as const, by, ...(link && { link }), expires_at };
      const chosen = users.map((user) => ({ _id: choiceId(token, user.account_id), ...owned(user), ...step }));
      await steps.insertMany(chosen, { session: tx.session });
      return { token, expires_at };
    },

    /** The users to choose from, and how the first factor was proven. */
    async choices(token: string, now: Date) {
      const found = await steps.find({ ...choiceOf(token), expires_at: { $gt: now } }).toArray();
      return found.map(begunOf).filter((begun) => begun !== undefined);
    },

    /** Finishes the choice with this account. False if it is finished already, or this account withdrawn from it. */
    async finishChoice(tx: Transaction, token: string, accountId: AccountId): Promise<boolean> {
      const { deletedCount } = await steps.deleteOne({ _id: choiceId(token, accountId) }, { session: tx.session });
      await steps.deleteMany(choiceOf(token), { session: tx.session });
      return deletedCount === 1;
    },

    async addChallenge(purpose: Challenge, user: Owner | null, challenge: string, now: Date) {
      const expires_at = new Date(now.getTime() + lifetimeMs[purpose]);
      await steps.insertOne({ _id: secretHash(challenge), purpose, ...owned(user), by: null, expires_at });
    },

    /**
     * Uses up a challenge. False if it is unknown, expired, already used, or of another user. Outside of any transaction, so that it is
     * used up even if what was signed is wrong.
     */
    async useChallenge(purpose: Challenge, user: Owner | null, challenge: string, now: Date): Promise<boolean> {
      const filter = { _id: secretHash(challenge), purpose, ...owned(user), expires_at: { $gt: now } };
      return (await steps.deleteOne(filter)).deletedCount === 1;
    },

    /** Ends everything that was begun in the name of a user. */
    async withdraw(tx: Transaction, user: Owner) {
      await steps.deleteMany(owned(user), { session: tx.session });
    },
  };
}
