import { type AccountId, isId, type PrincipalId } from '@mp/ids';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Parts } from '@mp/service-kit/service-parts';
import { createCredentialCache, oneByOne } from '../credentials/credential-cache.ts';
import { createFailedAuthLimiter } from '../credentials/failed-auth-limiter.ts';
import { createLastUsed } from '../credentials/last-used.ts';
import { createBurstLimit } from '../quotas/burst-limit.ts';
import { createDailyQuota } from '../quotas/daily-quota.ts';
import { createUsageBreakdown } from '../quotas/usage-breakdown.ts';
import { loadApiKeys } from './api-keys/load-api-keys.ts';
import { loadToken } from './oauth/load-token.ts';
import { createStores } from './stores.ts';
import { loadSession } from './users/load-session.ts';

export type GatewayState = ReturnType<typeof createGatewayState>;

/** The state that the request path reads and the settings API changes: the stores and their in-memory caches. */
export function createGatewayState(parts: Parts, now: () => number = Date.now) {
  const { logger } = parts;
  const stores = createStores(parts);
  const onRefreshFailed = createFailureLog(logger, 'could not refresh a cached credential').failed;
  const caches = {
    keys: createCredentialCache({ load: loadApiKeys(stores, now), now, onRefreshFailed }),
    tokens: createCredentialCache({ load: oneByOne(loadToken(stores, now)), now, onRefreshFailed }),
    sessions: createCredentialCache({ load: oneByOne(loadSession(stores, now)), now, onRefreshFailed }),
  };
  const everyCache = Object.values(caches);

  /** The id prefix distinguishes keys from OAuth clients. */
  async function touch(usedAt: ReadonlyMap<string, number>) {
    const byKind = Map.groupBy(usedAt, ([id]) => (isId('client', id) ? 'client' : 'key'));
    await stores.apiKeys.touch(new Map(byKind.get('key')));
    await stores.oauthClients.touch(new Map(byKind.get('client')));
  }

  return {
    stores,
    now,
    ...caches,
    failedAuths: createFailedAuthLimiter(now),
    /** Separate from API credentials, so that failing programs cannot keep users from signing in. */
    failedSignIns: createFailedAuthLimiter(now),
    startedSignIns: createFailedAuthLimiter(now),
    lastUsed: createLastUsed({ touch, onError: createFailureLog(logger, 'could not write when keys were last used').failed }),
    burst: createBurstLimit(now),
    quota: createDailyQuota({
      usage: stores.usage,
      onError: createFailureLog(logger, 'could not count requests against the daily quota').failed,
    }),
    breakdown: createUsageBreakdown({
      store: stores.usageBreakdown,
      onError: createFailureLog(logger, 'could not write usage by credential and route class').failed,
    }),

    /** Call when one secret stops being valid. */
    forgetSecret: (hash: string) => {
      for (const cache of everyCache) cache.forget(hash);
    },
    /** Call when the privileges of a key, OAuth client or user change. */
    forgetHolder: (id: PrincipalId) => {
      for (const cache of everyCache) cache.forgetHolder(id);
    },
    /** Call when an account's plan or status changes. */
    forgetAccount: (accountId: AccountId) => {
      for (const cache of everyCache) cache.forgetAccount(accountId);
    },
  };
}
