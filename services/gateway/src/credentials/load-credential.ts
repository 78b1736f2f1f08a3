import { decidingAccount } from '../settings/accounts/account.ts';
import type { AccountsStore } from '../settings/accounts/accounts-store.ts';
import type { ApiKeysStore } from '../settings/api-keys/api-keys-store.ts';
import { tokenScopes } from '../settings/oauth/oauth-client.ts';
import type { OauthClientsStore } from '../settings/oauth/oauth-clients-store.ts';
import type { OauthTokensStore } from '../settings/oauth/oauth-tokens-store.ts';
import type { SessionsStore } from '../settings/users/sessions-store.ts';
import { permissionOf } from '../settings/users/user.ts';
import type { UsersStore } from '../settings/users/users-store.ts';
import { allowedBy, anyAddress, type Credential, credentialOf } from './credential.ts';

type Stores = {
  accounts: AccountsStore;
  apiKeys: ApiKeysStore;
  oauthClients: OauthClientsStore;
  oauthTokens: OauthTokensStore;
  users: UsersStore;
  sessions: SessionsStore;
};

/** Reads API keys by hash, with their accounts, except keys that are unknown, revoked or expired. */
export const loadApiKeys =
  ({ accounts, apiKeys }: Pick<Stores, 'accounts' | 'apiKeys'>, now: () => number) =>
  async (hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>> => {
    const found = await apiKeys.findByHashes(hashes);
    const keys = found.filter(({ revoked_at, expires_at }) => !revoked_at && !(expires_at && expires_at.getTime() <= now()));
    const owners = await accounts.findDeciding([...new Set(keys.map(({ account_id }) => account_id))]);
    const byId = new Map(owners.map((owner) => [owner.id, owner]));
    const credentials = new Map<string, Credential>();
    for (const key of keys) {
      const account = byId.get(key.account_id);
      if (account) credentials.set(key.hash, credentialOf({ ...key, kind: 'key' }, account));
    }
    return credentials;
  };

/** Reads an access token by hash. Its scopes are those it was issued with and its client still has. */
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
    return credentialOf(
      { kind: 'token', id, hash, permission, scopes, expires_at: token.expires_at, allowsAddress: allowedBy(ip_allow) },
      decidingAccount(account),
    );
  };

/** Reads a dashboard session by the hash of its token. The credential is the user, with the permission of their role. */
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
      { kind: 'session', id: user.id, hash, permission: permissionOf(user.role), scopes: null, expires_at, allowsAddress: anyAddress },
      decidingAccount(account),
    );
  };

/** Adapts a loader of single credentials to batches, for kinds of which few are used at once. */
export const oneByOne =
  (load: (hash: string) => Promise<Credential | undefined>) =>
  async (hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>> => {
    const found = await Promise.all(hashes.map(load));
    return new Map(found.flatMap((credential) => (credential ? [[credential.hash, credential]] : [])));
  };
