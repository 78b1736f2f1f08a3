import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { auditSearch } from '../audit-log/audit-log.ts';
import { getParentRoute } from './signed-in-route.ts';

const webhooks = createRoute({
  getParentRoute,
  path: '/settings/webhooks',
  component: lazyRouteComponent(() => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute,
  path: '/settings/webhooks/$id',
  component: lazyRouteComponent(() => import('../webhooks/webhook-page.tsx'), 'WebhookPage'),
});

const delivery = createRoute({
  getParentRoute,
  path: '/settings/webhooks/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../webhooks/delivery-page.tsx'), 'DeliveryPage'),
});

const account = createRoute({
  getParentRoute,
  path: '/settings/account',
  component: lazyRouteComponent(() => import('../settings/account-page.tsx'), 'AccountPage'),
});

const brand = createRoute({
  getParentRoute,
  path: '/settings/brand',
  component: lazyRouteComponent(() => import('../brand/brand-page.tsx'), 'BrandPage'),
});

const sending = createRoute({
  getParentRoute,
  path: '/settings/sending',
  component: lazyRouteComponent(() => import('../sending/sending-page.tsx'), 'SendingPage'),
});

const apiKeys = createRoute({
  getParentRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('../api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
});

const oauthClients = createRoute({
  getParentRoute,
  path: '/settings/oauth-clients',
  component: lazyRouteComponent(() => import('../oauth-clients/oauth-clients-page.tsx'), 'OauthClientsPage'),
});

const usage = createRoute({
  getParentRoute,
  path: '/settings/usage',
  component: lazyRouteComponent(() => import('../usage/usage-page.tsx'), 'UsagePage'),
});

const team = createRoute({
  getParentRoute,
  path: '/settings/team',
  component: lazyRouteComponent(() => import('../team/team-page.tsx'), 'TeamPage'),
});

const roles = createRoute({
  getParentRoute,
  path: '/settings/roles',
  component: lazyRouteComponent(() => import('../roles/roles-page.tsx'), 'RolesPage'),
});

const singleSignOn = createRoute({
  getParentRoute,
  path: '/settings/single-sign-on',
  component: lazyRouteComponent(() => import('../single-sign-on/single-sign-on-page.tsx'), 'SingleSignOnPage'),
});

const auditLog = createRoute({
  getParentRoute,
  path: '/settings/audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../audit-log/audit-log-page.tsx'), 'AuditLogPage'),
});

const you = createRoute({
  getParentRoute,
  path: '/you',
  component: lazyRouteComponent(() => import('../account/my-account-page.tsx'), 'MyAccountPage'),
});

/** The address of the settings. */
const settings = createRoute({
  getParentRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/account', replace: true });
  },
});

const styles = createRoute({
  getParentRoute,
  path: '/styles',
  component: lazyRouteComponent(() => import('../styles/styles-page.tsx'), 'StylesPage'),
});

export const settingsRoutes = [
  settings,
  styles,
  webhooks,
  webhook,
  delivery,
  account,
  brand,
  sending,
  apiKeys,
  oauthClients,
  usage,
  team,
  roles,
  singleSignOn,
  auditLog,
  you,
] as const;
