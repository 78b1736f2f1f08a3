import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { auditSearch } from './audit-log/audit-log.ts';
import { newCampaignSearch, stepSearch } from './campaign-editor/campaign-steps.ts';
import { campaignSearch } from './campaigns/campaign-search.ts';
import { loadChart } from './charts/day-chart.tsx';
import { contactSearch } from './contacts/contact-search.ts';
import { trafficSearch, visitorSearch } from './leadpulse/leadpulse-search.ts';
import { reportSearch } from './leadpulse/report-search.ts';
import { overviewSearch } from './overview/period.ts';
import { PageError } from './page/page-error.tsx';
import { PageNotFound } from './page/page-not-found.tsx';
import { segmentSearch } from './segments/segment-search.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { signInSearch } from './session/sign-in-search.ts';
import { SessionGate } from './shell/session-gate.tsx';
import { suppressionSearch } from './suppressions/suppressions.ts';
import { workflowSearch } from './workflows/workflow-search.ts';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  validateSearch: signInSearch,
});

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });
const getParentRoute = () => signedIn;

const overview = createRoute({
  getParentRoute,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
});
const you = createRoute({
  getParentRoute,
  path: '/you',
  component: lazyRouteComponent(() => import('./account/my-account-page.tsx'), 'MyAccountPage'),
});

const contacts = createRoute({
  getParentRoute,
  path: '/contacts',
  validateSearch: contactSearch,
  component: lazyRouteComponent(() => import('./contact-list/contacts-page.tsx'), 'ContactsPage'),
});
const newContact = createRoute({
  getParentRoute,
  path: '/contacts/new',
  component: lazyRouteComponent(() => import('./contact-page/new-contact-page.tsx'), 'NewContactPage'),
});
const contact = createRoute({
  getParentRoute,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('./contact-page/contact-page.tsx'), 'ContactPage'),
});
const editContact = createRoute({
  getParentRoute,
  path: '/contacts/$id/edit',
  component: lazyRouteComponent(() => import('./contact-page/edit-contact-page.tsx'), 'EditContactPage'),
});

const consent = createRoute({
  getParentRoute,
  path: '/contacts/$id/consent',
  component: lazyRouteComponent(() => import('./consent/consent-page.tsx'), 'ConsentPage'),
});
const suppressions = createRoute({
  getParentRoute,
  path: '/contacts/suppressions',
  validateSearch: suppressionSearch,
  component: lazyRouteComponent(() => import('./suppressions/suppressions-page.tsx'), 'SuppressionsPage'),
});
const imports = createRoute({
  getParentRoute,
  path: '/contacts/imports',
  component: lazyRouteComponent(() => import('./imports/imports-page.tsx'), 'ImportsPage'),
});
const newImport = createRoute({
  getParentRoute,
  path: '/contacts/imports/new',
  component: lazyRouteComponent(() => import('./imports/new-import-page.tsx'), 'NewImportPage'),
});
const importOf = createRoute({
  getParentRoute,
  path: '/contacts/imports/$id',
  component: lazyRouteComponent(() => import('./imports/import-page.tsx'), 'ImportPage'),
});
const exports = createRoute({
  getParentRoute,
  path: '/contacts/exports',
  component: lazyRouteComponent(() => import('./exports/exports-page.tsx'), 'ExportsPage'),
});

const segments = createRoute({
  getParentRoute,
  path: '/segments',
  validateSearch: segmentSearch,
  component: lazyRouteComponent(() => import('./segments/segments-page.tsx'), 'SegmentsPage'),
});
const newSegment = createRoute({
  getParentRoute,
  path: '/segments/new',
  component: lazyRouteComponent(() => import('./segments/new-segment-page.tsx'), 'NewSegmentPage'),
});
const segment = createRoute({
  getParentRoute,
  path: '/segments/$id',
  component: lazyRouteComponent(() => import('./segments/segment-page.tsx'), 'SegmentPage'),
});
const editSegment = createRoute({
  getParentRoute,
  path: '/segments/$id/edit',
  component: lazyRouteComponent(() => import('./segments/edit-segment-page.tsx'), 'EditSegmentPage'),
});
const membership = createRoute({
  getParentRoute,
  path: '/segments/$id/contacts/$contactId',
  component: lazyRouteComponent(() => import('./segments/membership-page.tsx'), 'MembershipPage'),
});

const campaigns = createRoute({
  getParentRoute,
  path: '/campaigns',
  validateSearch: campaignSearch,
  component: lazyRouteComponent(() => import('./campaigns/campaigns-page.tsx'), 'CampaignsPage'),
});
const newCampaign = createRoute({
  getParentRoute,
  path: '/campaigns/new',
  validateSearch: newCampaignSearch,
  component: lazyRouteComponent(() => import('./campaign-editor/new-campaign-page.tsx'), 'NewCampaignPage'),
});
const campaign = createRoute({
  getParentRoute,
  path: '/campaigns/$id',
  component: lazyRouteComponent(() => import('./campaign-page/campaign-page.tsx'), 'CampaignPage'),
});
const editCampaign = createRoute({
  getParentRoute,
  path: '/campaigns/$id/edit',
  validateSearch: stepSearch,
  component: lazyRouteComponent(() => import('./campaign-editor/edit-campaign-page.tsx'), 'EditCampaignPage'),
});
const message = createRoute({
  getParentRoute,
  path: '/campaigns/$id/messages/$contactId',
  component: lazyRouteComponent(() => import('./campaign-page/message-page.tsx'), 'MessagePage'),
});

const templates = createRoute({
  getParentRoute,
  path: '/campaigns/templates',
  component: lazyRouteComponent(() => import('./templates/templates-page.tsx'), 'TemplatesPage'),
});
const newTemplate = createRoute({
  getParentRoute,
  path: '/campaigns/templates/new',
  validateSearch: ({ starter }: Record<string, unknown>): { starter?: string } => (typeof starter === 'string' ? { starter } : {}),
  component: lazyRouteComponent(() => import('./templates/new-template-page.tsx'), 'NewTemplatePage'),
});
const template = createRoute({
  getParentRoute,
  path: '/campaigns/templates/$id',
  component: lazyRouteComponent(() => import('./templates/template-page.tsx'), 'TemplatePage'),
});

const traffic = createRoute({
  getParentRoute,
  path: '/leadpulse',
  validateSearch: trafficSearch,
  component: lazyRouteComponent(() => import('./leadpulse/traffic-page.tsx'), 'TrafficPage'),
});
const visitors = createRoute({
  getParentRoute,
  path: '/leadpulse/visitors',
  validateSearch: visitorSearch,
  component: lazyRouteComponent(() => import('./leadpulse/visitors-page.tsx'), 'VisitorsPage'),
});
const visitor = createRoute({
  getParentRoute,
  path: '/leadpulse/visitors/$id',
  component: lazyRouteComponent(() => import('./leadpulse/visitor-page.tsx'), 'VisitorPage'),
});

const reports = createRoute({
  getParentRoute,
  path: '/leadpulse/reports',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('./leadpulse/reports-page.tsx'), 'ReportsPage'),
});
const live = createRoute({
  getParentRoute,
  path: '/leadpulse/live',
  component: lazyRouteComponent(() => import('./leadpulse/live-page.tsx'), 'LivePage'),
});
const leadpulseSettings = createRoute({
  getParentRoute,
  path: '/leadpulse/settings',
  component: lazyRouteComponent(() => import('./leadpulse/settings-page.tsx'), 'LeadpulseSettingsPage'),
});
const sites = createRoute({
  getParentRoute,
  path: '/leadpulse/websites',
  component: lazyRouteComponent(() => import('./sites/sites-page.tsx'), 'SitesPage'),
});
const site = createRoute({
  getParentRoute,
  path: '/leadpulse/websites/$id',
  component: lazyRouteComponent(() => import('./sites/site-page.tsx'), 'SitePage'),
});

const workflows = createRoute({
  getParentRoute,
  path: '/workflows',
  validateSearch: workflowSearch,
  component: lazyRouteComponent(() => import('./workflows/workflows-page.tsx'), 'WorkflowsPage'),
});
const workflow = createRoute({
  getParentRoute,
  path: '/workflows/$id',
  component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
});
const newWorkflow = createRoute({
  getParentRoute,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./workflows/new-workflow-page.tsx'), 'NewWorkflowPage'),
});
const editWorkflow = createRoute({
  getParentRoute,
  path: '/workflows/$id/edit',
  component: lazyRouteComponent(() => import('./workflows/edit-workflow-page.tsx'), 'EditWorkflowPage'),
});
const simulation = createRoute({
  getParentRoute,
  path: '/workflows/$id/simulate',
  component: lazyRouteComponent(() => import('./workflows/simulate-page.tsx'), 'SimulatePage'),
});
const versions = createRoute({
  getParentRoute,
  path: '/workflows/$id/versions',
  component: lazyRouteComponent(() => import('./workflows/versions-page.tsx'), 'VersionsPage'),
});
const run = createRoute({
  getParentRoute,
  path: '/workflows/runs/$runId',
  component: lazyRouteComponent(() => import('./workflows/run-page.tsx'), 'RunPage'),
});

const account = createRoute({
  getParentRoute,
  path: '/settings/account',
  component: lazyRouteComponent(() => import('./settings/account-page.tsx'), 'AccountPage'),
});
const brand = createRoute({
  getParentRoute,
  path: '/settings/brand',
  component: lazyRouteComponent(() => import('./brand/brand-page.tsx'), 'BrandPage'),
});
const sending = createRoute({
  getParentRoute,
  path: '/settings/sending',
  component: lazyRouteComponent(() => import('./sending/sending-page.tsx'), 'SendingPage'),
});
const apiKeys = createRoute({
  getParentRoute,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('./api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
});
const usage = createRoute({
  getParentRoute,
  path: '/settings/usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
});

const oauthClients = createRoute({
  getParentRoute,
  path: '/settings/oauth-clients',
  component: lazyRouteComponent(() => import('./oauth-clients/oauth-clients-page.tsx'), 'OauthClientsPage'),
});
const team = createRoute({
  getParentRoute,
  path: '/settings/team',
  component: lazyRouteComponent(() => import('./team/team-page.tsx'), 'TeamPage'),
});
const auditLog = createRoute({
  getParentRoute,
  path: '/settings/audit-log',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./audit-log/audit-log-page.tsx'), 'AuditLogPage'),
});

const webhooks = createRoute({
  getParentRoute,
  path: '/settings/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute,
  path: '/settings/webhooks/$id',
  component: lazyRouteComponent(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
});
const delivery = createRoute({
  getParentRoute,
  path: '/settings/webhooks/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./webhooks/delivery-page.tsx'), 'DeliveryPage'),
});

const elsewhere = createRoute({ getParentRoute, path: '$', component: PageNotFound });

const pages = [
  overview,
  ...([contacts, newContact, contact, editContact, consent] as const),
  ...([suppressions, imports, newImport, importOf, exports] as const),
  ...([segments, newSegment, segment, editSegment, membership] as const),
  ...([campaigns, newCampaign, campaign, editCampaign, message] as const),
  ...([templates, newTemplate, template] as const),
  ...([traffic, visitors, visitor, reports, live, sites, site, leadpulseSettings] as const),
  ...([workflows, newWorkflow, workflow, editWorkflow, simulation, versions, run] as const),
  ...([webhooks, webhook, delivery] as const),
  ...([account, brand, sending, apiKeys, oauthClients, usage, team, auditLog, you] as const),
] as const;

/** Every page of the dashboard. */
export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([...pages, elsewhere])]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

/**
 * Loads the scripts of all pages one after another, so that pages still open after the connection is lost or a newer release has
 * replaced the files.
 */
export async function loadPages() {
  for (const load of [...pages.map((page) => () => router.loadRouteChunk(page)), loadChart]) {
    // A page that cannot be loaded now is loaded when it is opened.
    await load()?.catch(() => undefined);
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
