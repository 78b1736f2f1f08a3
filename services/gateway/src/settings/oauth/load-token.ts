import { allowedBy, type Credential, credentialOf } from '../../credentials/credential.ts';
import { makerOf } from '../../credentials/made-by.ts';
import { decidingAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import { isAccepted, sharedPermission, sharedScopes } from './grant.ts';
import type { GrantsStore } from './grants-store.ts';
import { tokenScopes } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';
import type { OauthTokensStore } from './oauth-tokens-store.ts';

type Stores = {
  accounts: Pick<AccountsStore, 'find'>;
  oauthClients: Pick<OauthClientsStore, 'findByClientId'>;
  oauthTokens: Pick<OauthTokensStore, 'find'>;
  grants: Pick<GrantsStore, 'find'>;
  users: Pick<UsersStore, 'find'>;
};

/**
 * Reads an access token by hash. Its scopes are those it was issued with that its client still has and, for a token that a user
 * granted, the user as well.
 */
export const loadToken =
  ({ accounts, oauthClients, oauthTokens, grants, users }: Stores, now: () => number) =>
  async (hash: string): Promise<Credential | undefined> => {
    const token = await oauthTokens.find(hash);
    if (!token || token.expires_at.getTime() <= now()) return undefined;
    const client = await oauthClients.findByClientId(token.client_id);
    const account = client && !client.revoked_at ? await accounts.find(token.account_id) : undefined;
    if (!client || !account) return undefined;
    const { id, ip_allow } = client;
    const common = { kind: 'token', id, hash, expires_at: token.expires_at, allowsAddress: allowedBy(ip_allow) } as const;
    if (token.grant_id === undefined) {
      const { permission } = client;
      const created_by = makerOf({ ...client, ...token });
      const scopes = tokenScopes(token.scopes, client.scopes);
      return credentialOf({ ...common, created_by, permission, scopes }, decidingAccount(account));
    }
    const grant = await grants.find(account.id, token.grant_id);
    const user = grant && (await users.find(account.id, grant.user_id));
    if (!user || !isAccepted(grant, account, user) || (await accounts.find(client.account_id))?.status !== 'active') return undefined;
    const scopes = sharedScopes(token.scopes ?? [], client, user);
    const permission = sharedPermission(scopes, client, user);
    const ofUser = { created_by: user.id, ofGrant: true, sendingLimits: user.role_limits } as const;
    return credentialOf({ ...common, ...ofUser, permission, scopes }, decidingAccount(account));
  };
