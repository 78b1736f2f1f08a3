import { CredentialRevoked } from '@mp/contracts/events/platform';
import type { Scope } from '@mp/contracts/permissions';
import type { AccountId, OauthClientId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import { currentScopes } from '../../credentials/stored-scopes.ts';

/** `_id` is the hash of the token. `scopes` null: all scopes of its client. */
export type TokenDocument = {
  _id: string;
  account_id: AccountId;
  client_id: OauthClientId;
  scopes: Scope[] | null;
  /** Absent from tokens of earlier releases. */
  scopes_version?: number;
  created_at: Date;
  expires_at: Date;
};

export type OauthTokensStore = ReturnType<typeof createOauthTokensStore>;

/** The only place that knows the `oauth_tokens` collection. */
export function createOauthTokensStore(db: Db, outbox: Outbox) {
  const tokens = db.collection<TokenDocument>('oauth_tokens');

  return {
    prepare: () => prepareCollection(tokens, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], db),

    async insert(token: TokenDocument) {
      await tokens.insertOne(token);
    },

    async find(hash: string): Promise<TokenDocument | null> {
      const token = await tokens.findOne({ _id: hash });
      return token && { ...token, ...currentScopes(token) };
    },

    /** Revokes a token of this client and publishes that to every gateway. Undefined if the client has no such token. */
    async revoke(tx: Transaction, client: { id: OauthClientId; account_id: AccountId }, hash: string) {
      const token = await tokens.findOneAndDelete(
        { _id: hash, account_id: client.account_id, client_id: client.id },
        { session: tx.session },
      );
      if (token) await outbox.add(tx, CredentialRevoked, client.account_id, { key_id: client.id, hash });
      return token ?? undefined;
    },
  };
}
