import { ApiError, notFound } from '@mp/contracts/errors';
import { isId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { excess, type Power } from '../credentials/privileges.ts';
import type { AccountsStore } from './accounts/accounts-store.ts';
import { type ApiKeyRow, expiringMs, isAdminKey } from './api-keys/api-key.ts';
import type { ApiKeysStore } from './api-keys/api-keys-store.ts';
import type { OauthClientsStore } from './oauth/oauth-clients-store.ts';

type Stores = { accounts: AccountsStore; apiKeys: ApiKeysStore; oauthClients: OauthClientsStore };

export type Administrators = ReturnType<typeof createAdministrators>;

export const isPerson = ({ id }: Principal) => isId('user', id);

/** What those who change settings may not do to each other: make somebody stronger than themselves, or lock everybody out. */
export function createAdministrators({ accounts, apiKeys, oauthClients }: Stores) {
  /** What the caller itself has. Read with its allow-list, which the door checked and did not pass on. */
  async function powerOf(tx: Transaction, principal: Principal): Promise<Power> {
    const { accountId, id, permission, scopes, endsAt } = principal;
    // A session ends, and the person it is of does not: what they make is theirs.
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
    powerOf,

    /** Throws FORBIDDEN when the caller would give more than it has, or for longer. `before`: what is there already. */
    async mayGive(tx: Transaction, principal: Principal, wanted: Power, before?: Power) {
      refuseExcess(await powerOf(tx, principal), wanted, before);
    },

    /**
     * Throws INVALID_STATE when an API key or token would leave the account without an Admin key that lasts: as long as
     * this one would have, or a week. People may: they still sign in.
     */
    async keepAnAdminKey(tx: Transaction, principal: Principal, key: ApiKeyRow) {
      if (!isAdminKey(key) || isPerson(principal)) return;
      await accounts.queue(tx, principal.accountId);
      const until = Math.min(Date.now() + expiringMs, key.expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
      if ((await apiKeys.countAdminKeys(tx, principal.accountId, key.id, new Date(until))) > 0) return;
      throw new ApiError(
        'INVALID_STATE',
        'This is the last Admin key that works and goes on to. Make another one first, rotate it, or let somebody do this who is signed in to the dashboard.',
      );
    },
  };
}

/** The same, where it is known what the caller has. */
export function refuseExcess(maker: Power, wanted: Power, before?: Power) {
  const refused = excess(maker, wanted, before);
  if (refused !== undefined) throw new ApiError('FORBIDDEN', refused);
}
