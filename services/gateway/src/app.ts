import { Resolver } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';
import { AccountChanged, AccountErased, CredentialChanged, CredentialRevoked } from '@mp/contracts/events/platform';
import type { UpstreamName } from '@mp/contracts/services';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import { trustedId } from '@mp/ids';
import { outward } from '@mp/service-kit/maintenance';
import type { App, Parts } from '@mp/service-kit/service-parts';
import { createConsumers } from './consumers.ts';
import { eventHandler } from './credentials/listen-to-event.ts';
import { sessionCookie } from './credentials/session-cookie.ts';
import { serveDashboard } from './dashboard-files/serve-dashboard.ts';
import { serveDocumentation } from './documentation/serve-documentation.ts';
import { serveSite } from './documentation/serve-site.ts';
import { createApplyJournal } from './journal/apply-journal.ts';
import { createBodyMemory } from './proxy/forwarding/body-memory.ts';
import { exposeUpstreamMetrics } from './proxy/forwarding/upstream-metrics.ts';
import { createUpstreams, type Timeouts } from './proxy/forwarding/upstreams.ts';
import type { AccessLog } from './proxy/listener/access-log.ts';
import { createListener } from './proxy/listener/listener.ts';
import { createListenerMetrics } from './proxy/listener/listener-metrics.ts';
import { replyToRequestCharged } from './proxy/policies/charge-inbound-url.ts';
import { replyToKeyCharged } from './proxy/policies/charge-key-in-body.ts';
import { createEndOnceRevoked } from './proxy/policies/end-revoked-streams.ts';
import { createPolicies } from './proxy/policies/policies.ts';
import { generatedOpenapi, generatedRoutes } from './proxy/routes/generated-config.ts';
import type { Route } from './proxy/routes/route.ts';
import { createRouteTable } from './proxy/routes/route-table.ts';
import { createQuotaMetrics } from './quotas/quota-metrics.ts';
import { createPublishSuspendedOnce } from './settings/accounts/publish-suspended-once.ts';
import { buildSettingsApp } from './settings/app.ts';
import { createDeleteOldEntries } from './settings/audit/delete-old-entries.ts';
import { authRoutes } from './settings/auth-routes.ts';
import { createMailNotices } from './settings/comments/mail-notices.ts';
import { createDeleteAccounts } from './settings/deletions/delete-accounts.ts';
import { oauthRoutes } from './settings/oauth/oauth-routes.ts';
import { redirectForms } from './settings/redirect-forms.ts';
import { createComposeReport } from './settings/report-emails/compose-report.ts';
import { createMailReports } from './settings/report-emails/mail-reports.ts';
import { createStopLinks } from './settings/report-emails/stop-links.ts';
import { createDiscover, type Discover, maxProviderBytes, type ProviderNetwork } from './settings/single-sign-on/discover.ts';
import type { DnsResolver } from './settings/single-sign-on/find-record.ts';
import type { InstallationProvider } from './settings/single-sign-on/installation-provider.ts';
import { createGatewayState } from './settings/state.ts';
import type { Deliver, Mailer } from './settings/users/mailer.ts';
import { replyToUsersExist } from './settings/users/reply-users-exist.ts';

export type GatewayConfig = {
  host: string;
  port: number;
  publicUrl: string;
  /** Where forms are served, if they have a host of their own. */
  formsUrl?: string;
  mailer?: Mailer;
  /** Sends reports; undefined without a mail server. */
  deliver?: Deliver | undefined;
  services: Partial<Record<UpstreamName, string>>;
  trustedProxies: readonly string[];
  /** Headers of every response. */
  headers?: Readonly<Record<string, string>>;
  accessLog?: AccessLog;
  providerNetwork?: ProviderNetwork;
  /** The identity providers of the whole installation. */
  installationProviders?: readonly InstallationProvider[];
  /** Whether these can be without TLS. */
  allowHttpProviders?: boolean;
  /** The remaining options are for tests. */
  routes?: readonly Route[];
  dashboardFolder?: string;
  siteFolder?: string;
  configFolder?: string;
  timeouts?: Timeouts;
  now?: () => number;
  dns?: DnsResolver;
};

/** Its own DNS queries, so that a slow name server does not delay other lookups. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

const dashboardFolder = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));
const siteFolder = fileURLToPath(new URL('../../../docs/.vitepress/dist', import.meta.url));

/** Assembles the gateway: its own API and pages, and the listener in front of them and of every service. */
export function buildApp(parts: Parts, config: GatewayConfig): App & { front: ReturnType<typeof createListener> } {
  const { broker, mongo } = parts;
  const { now = Date.now, routes = generatedRoutes(), publicUrl, formsUrl, mailer } = config;
  const state = createGatewayState(parts, now);
  const { keys, lastUsed, quota, breakdown, burst, failedAuths, forgetSecret, forgetHolder, forgetAccount } = state;

  const { providerNetwork = { allowPrivate: false, allowHttp: false }, dns = resolver } = config;
  const providerRequests = createGuardedRequests({ allowPrivate: providerNetwork.allowPrivate, maxBytes: maxProviderBytes });
  const ofAccounts = createDiscover(providerRequests.send, providerNetwork);
  // Only the operator configures these, so that they may be in the internal network.
  const installationNetwork = { allowPrivate: true, allowHttp: config.allowHttpProviders ?? false };
  const installationRequests = createGuardedRequests({ allowPrivate: true, maxBytes: maxProviderBytes });
  const ofInstallation = createDiscover(installationRequests.send, installationNetwork);
  const discover: Discover = {
    ...ofAccounts,
    configuration: (provider, secret) => (provider.account_id === null ? ofInstallation : ofAccounts).configuration(provider, secret),
  };
  const { installationProviders = [] } = config;
  const settings = buildSettingsApp(parts, state, { publicUrl, mailer, discover, dns, installationProviders });
  const stopLinks = createStopLinks(parts.contextKeys, publicUrl);
  authRoutes(settings.app, state, { mongo, publicUrl, mailer, discover, installationProviders, contextKeys: parts.contextKeys, stopLinks });
  oauthRoutes(settings.app, { ...state.stores, failedAuths, burst, forgetSecret, mongo, publicUrl });
  serveDocumentation(settings.app, generatedOpenapi());
  const routeTable = createRouteTable(routes);
  serveDashboard(settings.app, config.dashboardFolder ?? dashboardFolder, routeTable.nearest);
  if (formsUrl !== undefined) redirectForms(settings.app, formsUrl);
  serveSite(settings.app, config.siteFolder ?? siteFolder);

  const upstreams = createUpstreams(config.services, config.now, config.timeouts);
  exposeUpstreamMetrics(parts.metrics, upstreams);
  const quotaMetrics = createQuotaMetrics(parts.metrics, now);
  const known = { ...state, sessionCookie: sessionCookie(publicUrl) };
  const bodyMemory = createBodyMemory();
  parts.metrics.gauge('gateway_request_body_bytes', 'Bytes of request bodies in memory; the maximum is 96 MiB.', async () =>
    bodyMemory.bytes(),
  );
  parts.metrics.gauge(
    'gateway_oldest_open_account_deletion_seconds',
    'How long the oldest incomplete account deletion is past its grace period.',
    () => state.stores.accountDeletions.oldestOpenSeconds(),
  );
  const policies = createPolicies({
    ...known,
    quotaMetrics,
    routes: routeTable,
    endOnceRevoked: createEndOnceRevoked(known),
    upstreams,
    bodyMemory,
    handleHealth: settings.app.routing,
    contextKeys: parts.contextKeys,
  });
  const site = { publicUrl, headers: config.headers ?? {}, ...(formsUrl !== undefined && { formsHost: new URL(formsUrl).host }) };
  const requestParts = { bodyMemory, now, site, metrics: createListenerMetrics(parts.metrics), accessLog: config.accessLog };

  const mailReports = createMailReports({
    ...{ mongo, logger: parts.logger, deliver: config.deliver, now },
    ...state.stores,
    composeReport: createComposeReport({ broker, stopLinks, publicUrl }),
  });

  const mailNotices = createMailNotices({
    ...{ broker, logger: parts.logger, deliver: config.deliver, publicUrl, now },
    ...state.stores,
  });

  const suspendedOnce = createPublishSuspendedOnce(parts, state.stores.accounts);

  return {
    ...settings,
    consumers: createConsumers(parts, { stores: state.stores, mailer, publicUrl, now }),
    prepare: async () => {
      await settings.prepare();
      await suspendedOnce.prepare();
      await state.stores.factors.resealSecrets();
    },
    replies: [
      replyToUsersExist({ broker, users: state.stores.users }),
      replyToKeyCharged({ ...{ broker, now, quota, quotaMetrics, breakdown, burst }, ...{ keys, failedAuths, lastUsed } }),
      replyToRequestCharged({
        ...{ broker, now, quota, quotaMetrics, breakdown, burst },
        findAccount: async (id) => (await state.stores.accounts.findDeciding([id]))[0],
      }),
      () =>
        broker.listen(
          CredentialRevoked.subject,
          eventHandler(CredentialRevoked, ({ hash }) => forgetSecret(hash)),
        ),
      () =>
        broker.listen(
          CredentialChanged.subject,
          eventHandler(CredentialChanged, ({ credential_id }) => forgetHolder(trustedId<'key' | 'client' | 'user'>(credential_id))),
        ),
      () =>
        broker.listen(
          AccountChanged.subject,
          eventHandler(AccountChanged, ({ account_id }) => forgetAccount(account_id)),
        ),
      () =>
        broker.listen(
          AccountErased.subject,
          eventHandler(AccountErased, ({ account_id }) => forgetAccount(account_id)),
        ),
    ],
    background: [
      lastUsed,
      quota,
      breakdown,
      suspendedOnce,
      ...createDeleteAccounts(parts, { deletions: state.stores.accountDeletions }),
      createDeleteOldEntries({ ...parts, ...state.stores }),
      outward(mailReports),
      outward(mailNotices),
      { start: () => undefined, stop: providerRequests.stop },
      { start: () => undefined, stop: installationRequests.stop },
    ],
    applyJournal: createApplyJournal(mongo, state.stores),
    front: createListener({ ...config, parts, policies, upstreams, requestParts }),
  };
}
