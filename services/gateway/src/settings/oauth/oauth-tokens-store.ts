import { CredentialRevoked } from '@mp/contracts/events/platform';
import type { Scope } from '@mp/contracts/permissions';
import type { AccountId, GrantId, OauthClientId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import type { MadeFor } from '../../credentials/made-by.ts';
import { currentScopes } from '../../credentials/stored-scopes.ts';

/** `_id` is the hash of the token. `scopes` null: all scopes of its client. `created_for`: of the secret that it was issued for. */
export type TokenDocument = MadeFor & {
  _id: string;
  account_id: AccountId;
  client_id: OauthClientId;
  /** The grant of a user that it was issued for. Absent: for the account of the client itself. */
  grant_id?: GrantId;
  scopes: Scope[] | null;
  /** Absent from tokens of earlier releases. */
  scopes_version?: number;
  created_at: Date;
  expires_at: Date;
};

export type OauthTokensStore = ReturnType<typeof createOauthTokensStore>;

/** Owns the `oauth_tokens` collection. */
export function createOauthTokensStore(db: Db, outbox: Outbox) {
  const tokens = db.collection<TokenDocument>('oauth_tokens');

  return {
    prepare: () =>
      prepareCollection(tokens, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, grant_id: 1 } }], db),

    async insert(token: TokenDocument, tx?: Transaction) {
      await tokens.insertOne(token, tx && { session: tx.session });
    },

    async find(hash: string): Promise<TokenDocument | null> {
      const token = await tokens.findOne({ _id: hash });
      return token && { ...token, ...currentScopes(token) };
    },

    /** Revokes a token of this client and publishes that to every gateway. Undefined if the client has no such token. */
    async revoke(tx: Transaction, clientId: OauthClientId, hash: string) {
      const token = await tokens.findOneAndDelete({ _id: hash, client_id: clientId }, { session: tx.session });
      if (token) await outbox.add(tx, CredentialRevoked, token.account_id, { key_id: clientId, hash });
      return token ?? undefined;
    },

    /** Revokes the tokens of a grant, except the newest. Returns their hashes. */
    async revokeOfGrant(
      tx: Transaction,
      { id, account_id }: { id: GrantId; account_id: AccountId },
      { keep = 0 }: { keep?: number } = {},
    ): Promise<string[]> {
      const own = tokens.find({ account_id, grant_id: id }, { session: tx.session });
      const found = await own.sort({ created_at: -1, _id: 1 }).skip(keep).toArray();
      await tokens.deleteMany({ account_id, _id: { $in: found.map(({ _id }) => _id) } }, { session: tx.session });
      for (const { _id, client_id } of found) await outbox.add(tx, CredentialRevoked, account_id, { key_id: client_id, hash: _id });
      return found.map(({ _id }) => _id);
    },
  };
}
