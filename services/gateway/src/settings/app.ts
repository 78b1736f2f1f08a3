import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/parts';
import { getAccount } from './accounts/get-account.ts';
import { getPlan } from './accounts/get-plan.ts';
import { updateAccount } from './accounts/update-account.ts';
import { createApiKey } from './api-keys/create-api-key.ts';
import { getApiKey } from './api-keys/get-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { updateApiKey } from './api-keys/update-api-key.ts';
import { listAuditLog } from './audit/list-audit-log.ts';
import { getMe } from './me/get-me.ts';
import { revokeOauthClient, rotateOauthClient, updateOauthClient } from './oauth/change-oauth-client.ts';
import { createOauthClient } from './oauth/create-oauth-client.ts';
import { getOauthClient, listOauthClients } from './oauth/read-oauth-clients.ts';
import { type SettingsConfig, settingsParts } from './parts.ts';
import { createGatewayState, type GatewayState } from './state.ts';
import { getUsage } from './usage/get-usage.ts';
import { listUsageHistory } from './usage/list-usage-history.ts';
import { deleteUser, updateUser } from './users/change-users.ts';
import { inviteUser, inviteUserAgain } from './users/invite-user.ts';
import { getUser, listUsers } from './users/read-users.ts';

const nowhere: SettingsConfig = { publicUrl: 'http://localhost:8080', mailer: undefined };

/** The gateway's own API: a service like the others, inside the gateway's process and behind its listener. */
export function buildSettingsApp(parts: Parts, state: GatewayState = createGatewayState(parts), config: SettingsConfig = nowhere): App {
  const { contextKeys, logger } = parts;
  const settings = settingsParts(parts, state, config);

  const app = createServer({ name: 'settings', contextKeys, logger });
  getMe(app, settings);
  for (const route of [
    ...[getAccount, updateAccount, getPlan, getUsage, listUsageHistory],
    ...[listApiKeys, createApiKey, getApiKey, updateApiKey, rotateApiKey, revokeApiKey],
    ...[listOauthClients, createOauthClient, getOauthClient, updateOauthClient, rotateOauthClient, revokeOauthClient],
    ...[listUsers, inviteUser, getUser, updateUser, deleteUser, inviteUserAgain],
    listAuditLog,
  ]) {
    route(app, settings);
  }

  return { app, prepare: state.stores.prepare, consumers: [] };
}
