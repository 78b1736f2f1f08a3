import { createServer } from '@mp/service-kit/create-server';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { getAccount } from './accounts/get-account.ts';
import { getPlan } from './accounts/get-plan.ts';
import { updateAccount } from './accounts/update-account.ts';
import { createAdministrators } from './administrators.ts';
import { createApiKey } from './api-keys/create-api-key.ts';
import { getApiKey } from './api-keys/get-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { updateApiKey } from './api-keys/update-api-key.ts';
import { exportAuditLog } from './audit/export-audit-log.ts';
import { listAuditLog } from './audit/list-audit-log.ts';
import { verifyAuditLog } from './audit/verify-audit-log.ts';
import { createComment } from './comments/create-comment.ts';
import { deleteComment } from './comments/delete-comment.ts';
import { getComment } from './comments/get-comment.ts';
import { listComments } from './comments/list-comments.ts';
import { listUsersToMention } from './comments/list-users-to-mention.ts';
import { listMentions, markMentionsRead } from './comments/mention-routes.ts';
import { reopenComment, resolveComment } from './comments/resolve-comment.ts';
import { updateComment } from './comments/update-comment.ts';
import { getMe } from './me/get-me.ts';
import { createOauthClient } from './oauth/create-oauth-client.ts';
import { getOauthClient } from './oauth/get-oauth-client.ts';
import { listOauthClients } from './oauth/list-oauth-clients.ts';
import { revokeOauthClient } from './oauth/revoke-oauth-client.ts';
import { rotateOauthClient } from './oauth/rotate-oauth-client.ts';
import { updateOauthClient } from './oauth/update-oauth-client.ts';
import { createReportEmail } from './report-emails/create-report-email.ts';
import { deleteReportEmail } from './report-emails/delete-report-email.ts';
import { getReportEmail } from './report-emails/get-report-email.ts';
import { listReportEmails } from './report-emails/list-report-emails.ts';
import { updateReportEmail } from './report-emails/update-report-email.ts';
import { createRole } from './roles/create-role.ts';
import { deleteRole } from './roles/delete-role.ts';
import { getRole } from './roles/get-role.ts';
import { listRoles } from './roles/list-roles.ts';
import { updateRole } from './roles/update-role.ts';
import { createDomain } from './single-sign-on/create-domain.ts';
import { createIdentityProvider } from './single-sign-on/create-identity-provider.ts';
import { deleteDomain } from './single-sign-on/delete-domain.ts';
import { deleteIdentityProvider } from './single-sign-on/delete-identity-provider.ts';
import { createDiscover, type Discover } from './single-sign-on/discover.ts';
import type { DnsResolver } from './single-sign-on/find-record.ts';
import { getDomain } from './single-sign-on/get-domain.ts';
import { getIdentityProvider } from './single-sign-on/get-identity-provider.ts';
import type { InstallationProvider } from './single-sign-on/installation-provider.ts';
import { listDomains } from './single-sign-on/list-domains.ts';
import { listIdentityProviders } from './single-sign-on/list-identity-providers.ts';
import { unlinkUser } from './single-sign-on/unlink-user.ts';
import { updateIdentityProvider } from './single-sign-on/update-identity-provider.ts';
import { verifyDomain } from './single-sign-on/verify-domain.ts';
import { createGatewayState, type GatewayState } from './state.ts';
import { getUsage } from './usage/get-usage.ts';
import { listUsageHistory } from './usage/list-usage-history.ts';
import { deleteUser } from './users/delete-user.ts';
import { getUser } from './users/get-user.ts';
import { createInvite } from './users/invitation.ts';
import { inviteUser } from './users/invite-user.ts';
import { listUsers } from './users/list-users.ts';
import type { Mailer } from './users/mailer.ts';
import { reinviteUser } from './users/reinvite-user.ts';
import { updateUser } from './users/update-user.ts';

type SettingsConfig = {
  publicUrl: string;
  mailer: Mailer;
  discover: Discover;
  dns: DnsResolver;
  installationProviders: readonly InstallationProvider[];
};

const nowhere: SettingsConfig = {
  publicUrl: 'http://localhost:8080',
  mailer: undefined,
  discover: createDiscover(async () => ({ type: 'silent', reason: 'the network is not connected' }), {
    allowPrivate: false,
    allowHttp: false,
  }),
  dns: { resolveTxt: async () => [] },
  installationProviders: [],
};

/** The gateway's own API: a service like the others, inside the gateway's process and behind its listener. */
export function buildSettingsApp(parts: Parts, state: GatewayState = createGatewayState(parts), config: SettingsConfig = nowhere): App {
  const { contextKeys, logger, transact, cursors, broker } = parts;
  const { stores, quota, now, lastUsed, forgetHolder } = state;
  const administrators = createAdministrators(stores);
  const invite = createInvite({ ...stores, ...config });
  const deps = { ...stores, ...config, administrators, invite, transact, cursors, broker, quota, now, lastUsed, forgetHolder };

  const app = createServer({ name: 'settings', contextKeys, logger });
  for (const route of [
    ...[getMe, getAccount, updateAccount, getPlan, getUsage, listUsageHistory],
    ...[listApiKeys, createApiKey, getApiKey, updateApiKey, rotateApiKey, revokeApiKey],
    ...[listOauthClients, createOauthClient, getOauthClient, updateOauthClient, rotateOauthClient, revokeOauthClient],
    ...[listUsers, inviteUser, getUser, updateUser, deleteUser, reinviteUser],
    ...[listIdentityProviders, createIdentityProvider, getIdentityProvider, updateIdentityProvider, deleteIdentityProvider],
    ...[listDomains, createDomain, getDomain, verifyDomain, deleteDomain, unlinkUser],
    ...[listRoles, createRole, getRole, updateRole, deleteRole],
    ...[listReportEmails, createReportEmail, getReportEmail, updateReportEmail, deleteReportEmail],
    ...[listComments, createComment, getComment, updateComment, deleteComment, resolveComment, reopenComment],
    ...[listUsersToMention, listMentions, markMentionsRead],
    ...[listAuditLog, exportAuditLog, verifyAuditLog],
  ]) {
    route(app, deps);
  }

  return { app, prepare: state.stores.prepare, consumers: [] };
}
