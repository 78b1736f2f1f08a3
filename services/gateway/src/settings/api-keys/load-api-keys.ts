import { type Credential, credentialOf } from '../../credentials/credential.ts';
import { makerOf } from '../../credentials/made-by.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Stores = { accounts: Pick<AccountsStore, 'findDeciding'>; apiKeys: Pick<ApiKeysStore, 'findByHashes'> };

/** Reads API keys by hash, with their accounts, except keys that are unknown, revoked or expired. */
export const loadApiKeys =
  ({ accounts, apiKeys }: Stores, now: () => number) =>
  async (hashes: readonly string[]): Promise<ReadonlyMap<string, Credential>> => {
    const found = await apiKeys.findByHashes(hashes);
    const keys = found.filter(({ revoked_at, expires_at }) => !revoked_at && !(expires_at && expires_at.getTime() <= now()));
    const owners = await accounts.findDeciding([...new Set(keys.map(({ account_id }) => account_id))]);
    const byId = new Map(owners.map((owner) => [owner.id, owner]));
    const credentials = new Map<string, Credential>();
    for (const key of keys) {
      const account = byId.get(key.account_id);
      if (account) credentials.set(key.hash, credentialOf({ ...key, kind: 'key', created_by: makerOf(key) }, account));
    }
    return credentials;
  };
