import { ApiError, notFound } from '@mp/contracts/errors';
import { isId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { type ApiKeyRow, expiringMs, isAdminKey } from '../api-keys/api-key.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import { excess, type Power } from '../credentials/power.ts';
import type { OauthClientsStore } from '../oauth/oauth-clients-store.ts';

type Stores = { accounts: AccountsStore; apiKeys: ApiKeysStore; oauthClients: OauthClientsStore };

export type Administrators = ReturnType<typeof createAdministrators>;

export const isPerson = ({ id }: Principal) => isId('user', id);

/** What those who change settings may not do to each other: make somebody stronger than themselves, or lock everybody out. */
export function createAdministrators({ accounts, apiKeys, oauthClients }: Stores) {
  /** Read with its allow-list, which the door checked and did not pass on. */
  async function powerOf(tx: Transaction, principal: Principal): Promise<Power> {
    const { accountId, id, permission, scopes } = principal;
    if (isPerson(principal)) return { permission, scopes, ip_allow: [] };
    const holder = isId('client', id) ? await oauthClients.find(accountId, id, tx) : await apiKeys.find(accountId, id, tx);
    if (!holder) throw notFound();
    return { permission, scopes, ip_allow: holder.ip_allow };
  }

  return {
    /** Throws FORBIDDEN when the caller would give more than it has. */
    async mayGive(tx: Transaction, principal: Principal, wanted: Power) {
      const refused = excess(await powerOf(tx, principal), wanted);
      if (refused !== undefined) throw new ApiError('FORBIDDEN', refused);
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
