import type { Scope } from '@mp/contracts/permissions';
import type { AccountId, GrantId, OauthClientId, UserId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';
import { newSecret } from '../../credentials/token-format.ts';
import type { ProvenBy } from '../second-factors/factor.ts';
import type { FirstFactor } from '../users/sessions-store.ts';

/** A consent that waits for its application to exchange it. `_id` is the hash of the authorization code. */
export type CodeDocument = {
  _id: string;
  account_id: AccountId;
  user_id: UserId;
  client_id: OauthClientId;
  redirect_uri: string;
  code_challenge: string;
  scopes: Scope[];
  /** How the user had signed in. */
  by: FirstFactor;
  second_factor: ProvenBy | null;
  expires_at: Date;
  /** The grant that it was exchanged for. Null: not exchanged yet. */
  grant_id: GrantId | null;
};

/** How long an application has to exchange a code (RFC 6749 §4.1.2 recommends at most ten minutes). */
const lifetimeMs = 60_000;

/** Used codes are kept this much longer, so that a second exchange is noticed. */
const keptSeconds = 3_600;

export type CodesStore = ReturnType<typeof createCodesStore>;

/** Owns the `oauth_codes` collection. */
export function createCodesStore(db: Db) {
  const codes = db.collection<CodeDocument>('oauth_codes');

  return {
    prepare: () =>
      prepareCollection(codes, [{ key: { expires_at: 1 }, expireAfterSeconds: keptSeconds }, { key: { account_id: 1, user_id: 1 } }], db),

    async insert(tx: Transaction, code: Omit<CodeDocument, '_id' | 'expires_at' | 'grant_id'>, now: Date): Promise<string> {
      const text = newSecret('code');
      const expires_at = new Date(now.getTime() + lifetimeMs);
      await codes.insertOne({ _id: secretHash(text), ...code, expires_at, grant_id: null }, { session: tx.session });
      return text;
    },

    find: (tx: Transaction, clientId: OauthClientId, code: string) =>
      codes.findOne({ _id: secretHash(code), client_id: clientId }, { session: tx.session }),

    /** Notes that the code was exchanged. Of two exchanges at once, the second reads it again. */
    async use(tx: Transaction, { _id, account_id }: CodeDocument, grantId: GrantId) {
      await codes.updateOne({ _id, account_id }, { $set: { grant_id: grantId } }, { session: tx.session });
    },

    /** Withdraws the codes of a user. */
    async withdraw(tx: Transaction, { id, account_id }: { id: UserId; account_id: AccountId }) {
      await codes.deleteMany({ account_id, user_id: id }, { session: tx.session });
    },
  };
}
