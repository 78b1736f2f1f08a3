import type { Parts } from '@mp/service-kit/parts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import { createLastUsed } from '../credentials/last-used.ts';
import { loadApiKey, loadSession } from '../credentials/load-credential.ts';
import { createWrongCredentials } from '../credentials/wrong-credentials.ts';
import { createStores } from '../stores.ts';
import { createDailyQuota } from '../usage/daily-quota.ts';

export type GatewayState = ReturnType<typeof createGatewayState>;

/** What the door decides by and the settings change: the stores, and what is kept in memory of them. */
export function createGatewayState(parts: Parts, now: () => number = Date.now) {
  const { logger } = parts;
  const stores = createStores(parts);
  const onRefreshFailed = (err: unknown) => logger.warn({ err }, 'a credential could not be read anew');
  return {
    stores,
    now,
    keys: createCredentialCache({ load: loadApiKey(stores, now), now, onRefreshFailed }),
    sessions: createCredentialCache({ load: loadSession(stores, now), now, onRefreshFailed }),
    wrongCredentials: createWrongCredentials(now),
    lastUsed: createLastUsed({ touch: stores.apiKeys.touch, onError: (err) => logger.warn({ err }, 'last use of keys not written') }),
    quota: createDailyQuota({ usage: stores.usage, onError: (err) => logger.warn({ err }, 'usage not written') }),
  };
}
