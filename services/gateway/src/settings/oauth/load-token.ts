import { allowedBy, type Credential, credentialOf } from '../../credentials/credential.ts';
import { decidingAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { tokenScopes } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

type Stores = {
  accounts: Pick<AccountsStore, 'find'>;
  oauthClients: Pick<OauthClientsStore, 'find'>;
  oauthTokens: Pick<OauthTokensStore, 'find'>;
};

/** Reads an access token by hash. Its scopes are those it was issued with and its client still has. */
export const loadToken =
  ({ accounts, oauthClients, oauthTokens }: Stores, now: () => number) =>
  async (hash: string): Promise<Credential | undefined> => {
    const token = await oauthTokens.find(hash);
    if (!token || token.expires_at.getTime() <= now()) return undefined;
    const client = await oauthClients.find(token.account_id, token.client_id);
    const account = client && !client.revoked_at ? await accounts.find(client.account_id) : undefined;
    if (!client || !account) return undefined;
    const { id, created_by, permission, ip_allow } = client;
    const scopes = tokenScopes(token.scopes, client.scopes);
    return credentialOf(
      { kind: 'token', id, created_by, hash, permission, scopes, expires_at: token.expires_at, allowsAddress: allowedBy(ip_allow) },
      decidingAccount(account),
    );
  };
