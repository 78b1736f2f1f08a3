import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { ApiKeysStore } from '../api-keys/api-keys-store.ts';
import { accountOf, type Credential, type CredentialAccount, credentialOf } from './credential.ts';
import type { Known } from './credential-cache.ts';
import { findWorkingKeys } from './load-credential.ts';

type Owner = { account: CredentialAccount; keysVersion: string | null; readAt: number };

/** As many as there are keys in the cache. */
const ownersMax = 50_000;

/**
 * Reads API keys again that are known. Of an account in which no key has changed since, the account alone is read, once
 * for all of its keys: thousands of busy keys then cost a few reads. The account is read before the key, so that a
 * change between the two is seen at the next reading.
 */
export function reloadApiKeys({ accounts, apiKeys }: { accounts: AccountsStore; apiKeys: ApiKeysStore }, now: () => number) {
  const owners = new LRUCache<string, Owner>({ max: ownersMax });

  async function readOwners(ids: readonly string[]) {
    const readAt = now();
    for (const { keys_version, ...row } of await accounts.findDeciding(ids)) {
      const [before, account] = [owners.peek(row.id)?.account, accountOf(row)];
      // What is as it was stays the object it was.
      owners.set(row.id, { account: before && isDeepStrictEqual(before, account) ? before : account, keysVersion: keys_version, readAt });
    }
  }

  /** It has been read since this key was, for another key of the same account. */
  function hasBeenRead({ credential, loadedAt }: Known) {
    const readAt = owners.peek(credential.account.id)?.readAt ?? Number.NEGATIVE_INFINITY;
    return readAt > loadedAt && readAt <= now();
  }

  return async (known: readonly Known[]): Promise<ReadonlyMap<string, Known>> => {
    const unread = new Set(known.filter((entry) => !hasBeenRead(entry)).map(({ credential }) => credential.account.id));
    if (unread.size > 0) await readOwners([...unread]);
    const valid = new Map<string, Known>();
    const changed: string[] = [];
    for (const { credential } of known) {
      const owner = owners.get(credential.account.id);
      if (owner && owner.keysVersion === credential.keysVersion)
        valid.set(credential.hash, { credential: inAccount(credential, owner.account), loadedAt: owner.readAt });
      else changed.push(credential.hash);
    }
    for (const key of changed.length > 0 ? await findWorkingKeys(apiKeys, changed, now) : []) {
      const owner = owners.get(key.account_id);
      if (!owner) continue;
      const credential = credentialOf({ ...key, kind: 'key' }, owner.account, owner.keysVersion);
      valid.set(key.hash, { credential, loadedAt: owner.readAt });
    }
    return valid;
  };
}

const inAccount = (credential: Credential, account: CredentialAccount): Credential =>
  credential.account === account ? credential : { ...credential, account };
