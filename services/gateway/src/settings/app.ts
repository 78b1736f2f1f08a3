import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { getAccount } from '../accounts/get-account.ts';
import { createApiKey } from '../api-keys/create-api-key.ts';
import { getApiKey } from '../api-keys/get-api-key.ts';
import { listApiKeys } from '../api-keys/list-api-keys.ts';
import { revokeApiKey } from '../api-keys/revoke-api-key.ts';
import { getMe } from '../credentials/get-me.ts';
import { getUsage } from '../usage/get-usage.ts';
import { createGatewayState, type GatewayState } from './state.ts';

/** The gateway's own API: a service like the others, in the gateway's process and behind its door. */
export function buildSettingsApp(parts: Parts, state: GatewayState = createGatewayState(parts)): App {
  const { contextKeys, logger, transact, cursors } = parts;
  const { stores, quota, keys, now } = state;
  const { accounts, apiKeys, auditLog } = stores;

  const app = createServer({ name: 'settings', contextKeys, logger });
  getMe(app, stores);
  getAccount(app, { accounts });
  getUsage(app, { accounts, quota, now });
  listApiKeys(app, { apiKeys, cursors });
  createApiKey(app, { apiKeys, auditLog, transact });
  getApiKey(app, { apiKeys });
  revokeApiKey(app, { apiKeys, auditLog, transact, forget: keys.forget });

  return { app, prepare: stores.prepare, consumers: [] };
}
