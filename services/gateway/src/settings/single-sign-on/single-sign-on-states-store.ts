import type { AccountId } from '@mp/ids';
import { prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';

/** A sign-in that has begun. `_id` is the hash of its `state`, `browser` that of the cookie of the browser that began it. */
type StateDocument = {
  _id: string;
  /** The account that it is for. Null: the provider is one of the whole installation, and nothing names an account. */
  account_id: AccountId | null;
  provider_id: string;
  browser: string;
  nonce: string;
  code_verifier: string;
  /** The page to open then. */
  to: string;
  /** The hash of the token of the invitation that began it. */
  invitation: string | null;
  expires_at: Date;
};

type Begun = Pick<StateDocument, 'account_id' | 'provider_id' | 'nonce' | 'code_verifier' | 'to'> & { invitation: string | undefined };

export type SingleSignOnStatesStore = ReturnType<typeof createSingleSignOnStatesStore>;

/** How long a user may take to sign in at the provider. */
export const stateLifetimeMs = 10 * 60 * 1_000;

/** Owns the `single_sign_on_states` collection. */
export function createSingleSignOnStatesStore(db: Db) {
  const states = db.collection<StateDocument>('single_sign_on_states');

  return {
    prepare: () => prepareCollection(states, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], db),

    async begin(state: string, browser: string, { invitation, ...begun }: Begun, now: number) {
      await states.insertOne({
        ...{ _id: secretHash(state), browser: secretHash(browser), ...begun },
        invitation: invitation === undefined ? null : secretHash(invitation),
        expires_at: new Date(now + stateLifetimeMs),
      });
    },

    /**
     * Uses up the state. Undefined if it is unknown, used or expired, or began in another browser or with another provider; then it stays,
     * so that a stolen state cannot stop the sign-in of its owner.
     */
    async use(state: string, browser: string, providerId: string, now: number) {
      const begun = { _id: secretHash(state), browser: secretHash(browser), provider_id: providerId, expires_at: { $gt: new Date(now) } };
      return (await states.findOneAndDelete(begun)) ?? undefined;
    },
  };
}
