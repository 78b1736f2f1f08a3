import { ApiError, notFound } from '@mp/contracts/errors';
import { isId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { excess, type Privileges } from '../credentials/privileges.ts';
import type { AccountsStore } from './accounts/accounts-store.ts';
import { type ApiKeyRow, expiringMs, isAdminKey } from './api-keys/api-key.ts';
import type { ApiKeysStore } from './api-keys/api-keys-store.ts';
import type { OauthClientsStore } from './oauth/oauth-clients-store.ts';

type Stores = { accounts: AccountsStore; apiKeys: ApiKeysStore; oauthClients: OauthClientsStore };

export type Administrators = ReturnType<typeof createAdministrators>;

const isPerson = ({ id }: Principal) => isId('user', id);

/** Two rules for changes to credentials: none grants more than the caller has, and none locks the account out. */
export function createAdministrators({ accounts, apiKeys, oauthClients }: Stores) {
  /** The privileges of the caller, including its IP allow-list, which the gateway checks but does not pass on. */
  async function privilegesOf(tx: Transaction, principal: Principal): Promise<Privileges> {
    const { accountId, id, permission, scopes, endsAt } = principal;
    // A session expires but its user does not, so what a user creates need not expire either.
    if (isPerson(principal)) return { permission, scopes, ip_allow: [], expires_at: null };
    if (isId('client', id)) {
      const client = await oauthClients.find(accountId, id, tx);
      if (!client) throw notFound();
      return { permission, scopes, ip_allow: client.ip_allow, expires_at: endsAt === undefined ? null : new Date(endsAt) };
    }
    const key = await apiKeys.find(accountId, id, tx);
    if (!key) throw notFound();
    return { permission, scopes, ip_allow: key.ip_allow, expires_at: key.expires_at };
  }

  return {
    privilegesOf,

    /** Throws FORBIDDEN if the caller would grant more than it has, or for longer. `before`: what the target already has. */
    async requirePrivileges(tx: Transaction, principal: Principal, wanted: Privileges, before?: Privileges) {
      refuseExcess(await privilegesOf(tx, principal), wanted, before);
    },

    /**
     * Throws INVALID_STATE if an API key or token would leave the account without another Admin key that stays valid for a
     * week, or for as long as this one would have. Users may do so, because they can still sign in.
     */
    async keepAnAdminKey(tx: Transaction, principal: Principal, key: ApiKeyRow) {
      if (!isAdminKey(key) || isPerson(principal)) return;
      await accounts.lock(tx, principal.accountId);
      const until = Math.min(Date.now() + expiringMs, key.expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
      if ((await apiKeys.countAdminKeys(tx, principal.accountId, key.id, new Date(until))) > 0) return;
      throw new ApiError(
        'INVALID_STATE',
        'This is the last Admin key that does not expire. Create another one first, rotate this one, or make the change in the dashboard.',
      );
    },
  };
}

/** Throws FORBIDDEN if `wanted` exceeds the privileges of `maker`. */
export function refuseExcess(maker: Privileges, wanted: Privileges, before?: Privileges) {
  const refused = excess(maker, wanted, before);
  if (refused !== undefined) throw new ApiError('FORBIDDEN', refused);
}
