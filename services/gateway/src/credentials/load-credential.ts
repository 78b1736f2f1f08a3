import { findTogether } from '@mp/service-kit/find-together';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import { tokenScopes } from '../oauth/oauth-client.ts';
import type { OauthClientsStore } from '../oauth/oauth-clients-store.ts';
import type { OauthTokensStore } from '../oauth/oauth-tokens-store.ts';
import type { SessionsStore } from '../users/sessions-store.ts';
import { permissionOf } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import { type Credential, credentialOf } from './credential.ts';

type Stores = {
  accounts: AccountsStore;
  apiKeys: ApiKeysStore;
  oauthClients: OauthClientsStore;
  oauthTokens: OauthTokensStore;
  users: UsersStore;
  sessions: SessionsStore;
};

/** Reads an API key by its hash, with the account it belongs to. Undefined when it is unknown, revoked or expired. */
export function loadApiKey({ accounts, apiKeys }: Pick<Stores, 'accounts' | 'apiKeys'>, now: () => number) {
  // Every key in use is read anew every few seconds: with thousands of them, one by one would be most of what we do.
  const findKey = findTogether(apiKeys.findByHashes);
  const findAccount = findTogether(accounts.findAll);
  return async (hash: string): Promise<Credential | undefined> => {
    const key = await findKey(hash);
    if (!key || key.revoked_at || (key.expires_at && key.expires_at.getTime() <= now())) return undefined;
    const account = await findAccount(key.account_id);
    return account && credentialOf({ ...key, kind: 'key' }, account);
  };
}

/** Reads an access token by its hash. It may do what it was made for and its client still may. */
export const loadToken =
  ({ accounts, oauthClients, oauthTokens }: Pick<Stores, 'accounts' | 'oauthClients' | 'oauthTokens'>, now: () => number) =>
  async (hash: string): Promise<Credential | undefined> => {
    const token = await oauthTokens.find(hash);
    if (!token || token.expires_at.getTime() <= now()) return undefined;
    const client = await oauthClients.find(token.account_id, token.client_id);
    const account = client && !client.revoked_at ? await accounts.find(client.account_id) : undefined;
    if (!client || !account) return undefined;
    const { id, permission, ip_allow } = client;
    const scopes = tokenScopes(token.scopes, client.scopes);
    return credentialOf({ kind: 'token', id, hash, permission, scopes, expires_at: token.expires_at, ip_allow }, account);
  };

/** Reads a dashboard session by the hash of its token. The caller is the person, with what their role allows. */
export const loadSession =
  ({ accounts, users, sessions }: Pick<Stores, 'accounts' | 'users' | 'sessions'>, now: () => number) =>
  async (hash: string): Promise<Credential | undefined> => {
    const session = await sessions.find(hash);
    if (!session || session.expires_at.getTime() <= now()) return undefined;
    const user = await users.find(session.account_id, session.user_id);
    const account = user && (await accounts.find(user.account_id));
    if (!account) return undefined;
    const { expires_at } = session;
    return credentialOf(
      { kind: 'session', id: user.id, hash, permission: permissionOf(user.role), scopes: null, expires_at, ip_allow: [] },
      account,
    );
  };
