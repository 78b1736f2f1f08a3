import { isId } from '@mp/ids';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Parts } from '@mp/service-kit/parts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import { createWrongCredentials } from '../credentials/failed-auth-limiter.ts';
import { createLastUsed } from '../credentials/last-used.ts';
import { loadApiKeys, loadSession, loadToken, oneByOne } from '../credentials/load-credential.ts';
import { createStores } from '../stores.ts';
import { createBurstLimit } from './usage/burst-limit.ts';
import { createDailyQuota } from './usage/daily-quota.ts';
import { createUsageShares } from './usage/usage-shares.ts';

export type GatewayState = ReturnType<typeof createGatewayState>;

/** What the door decides by and the settings change: the stores, and what is kept in memory of them. */
export function createGatewayState(parts: Parts, now: () => number = Date.now) {
  const { logger } = parts;
  const stores = createStores(parts);
  const onRefreshFailed = createFailureLog(logger, 'a credential could not be read again').failed;
  const caches = {
    keys: createCredentialCache({ load: loadApiKeys(stores, now), now, onRefreshFailed }),
    tokens: createCredentialCache({ load: oneByOne(loadToken(stores, now)), now, onRefreshFailed }),
    sessions: createCredentialCache({ load: oneByOne(loadSession(stores, now)), now, onRefreshFailed }),
  };
  const everyCache = Object.values(caches);

  /** Keys and OAuth clients are told apart by their ids. */
  async function touch(usedAt: ReadonlyMap<string, number>) {
    const byKind = Map.groupBy(usedAt, ([id]) => (isId('client', id) ? 'client' : 'key'));
    await stores.apiKeys.touch(new Map(byKind.get('key')));
    await stores.oauthClients.touch(new Map(byKind.get('client')));
  }

  return {
    stores,
    now,
    ...caches,
    wrongCredentials: createWrongCredentials(now),
    /** Passwords and links, apart: what programs do wrong keeps no person out. */
    wrongSignIns: createWrongCredentials(now),
    lastUsed: createLastUsed({ touch, onError: createFailureLog(logger, 'last use of keys not written').failed }),
    burst: createBurstLimit(now),
    quota: createDailyQuota({ usage: stores.usage, onError: createFailureLog(logger, 'requests of the day not counted').failed }),
    shares: createUsageShares({ shares: stores.usageShares, onError: createFailureLog(logger, 'shares of the usage not written').failed }),

    /** One secret stopped being valid. */
    forgetSecret: (hash: string) => {
      for (const cache of everyCache) cache.forget(hash);
    },
    /** What a key, OAuth client or user may do changed. */
    forgetHolder: (id: string) => {
      for (const cache of everyCache) cache.forgetHolder(id);
    },
    /** An account's plan or status changed. */
    forgetAccount: (accountId: string) => {
      for (const cache of everyCache) cache.forgetAccount(accountId);
    },
  };
}
