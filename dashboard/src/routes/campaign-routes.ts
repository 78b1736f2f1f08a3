import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { newCampaignSearch, stepSearch } from '../campaign-editor/campaign-steps.ts';
import { campaignSearch } from '../campaigns/campaign-search.ts';
import { messageSearch } from '../messages/messages.ts';
import { getParentRoute } from './signed-in-route.ts';

const campaigns = createRoute({
  getParentRoute,
  path: '/campaigns',
  validateSearch: campaignSearch,
  component: lazyRouteComponent(() => import('../campaigns/campaigns-page.tsx'), 'CampaignsPage'),
});

const newCampaign = createRoute({
  getParentRoute,
  path: '/campaigns/new',
  validateSearch: newCampaignSearch,
  component: lazyRouteComponent(() => import('../campaign-editor/new-campaign-page.tsx'), 'NewCampaignPage'),
});

const campaign = createRoute({
  getParentRoute,
  path: '/campaigns/$id',
  component: lazyRouteComponent(() => import('../campaign-page/campaign-page.tsx'), 'CampaignPage'),
});

const campaignLinks = createRoute({
  getParentRoute,
  path: '/campaigns/$id/links',
  component: lazyRouteComponent(() => import('../campaign-page/campaign-page.tsx'), 'CampaignLinksPage'),
});

const campaignRecipients = createRoute({
  getParentRoute,
  path: '/campaigns/$id/recipients',
  component: lazyRouteComponent(() => import('../campaign-page/campaign-page.tsx'), 'CampaignRecipientsPage'),
});

const campaignMessage = createRoute({
  getParentRoute,
  path: '/campaigns/$id/message',
  component: lazyRouteComponent(() => import('../campaign-page/campaign-page.tsx'), 'CampaignMessagePage'),
});

const editCampaign = createRoute({
  getParentRoute,
  path: '/campaigns/$id/edit',
  validateSearch: stepSearch,
  component: lazyRouteComponent(() => import('../campaign-editor/edit-campaign-page.tsx'), 'EditCampaignPage'),
});

const message = createRoute({
  getParentRoute,
  path: '/campaigns/$id/messages/$contactId',
  component: lazyRouteComponent(() => import('../campaign-page/message-page.tsx'), 'MessagePage'),
});

const templates = createRoute({
  getParentRoute,
  path: '/campaigns/templates',
  component: lazyRouteComponent(() => import('../templates/templates-page.tsx'), 'TemplatesPage'),
});

const newTemplate = createRoute({
  getParentRoute,
  path: '/campaigns/templates/new',
  validateSearch: ({ starter }: Record<string, unknown>): { starter?: string } => (typeof starter === 'string' ? { starter } : {}),
  component: lazyRouteComponent(() => import('../templates/new-template-page.tsx'), 'NewTemplatePage'),
});

const template = createRoute({
  getParentRoute,
  path: '/campaigns/templates/$id',
  component: lazyRouteComponent(() => import('../templates/template-page.tsx'), 'TemplatePage'),
});

const coupons = createRoute({
  getParentRoute,
  path: '/campaigns/coupons',
  component: lazyRouteComponent(() => import('../coupons/coupons-page.tsx'), 'CouponsPage'),
});

const messages = createRoute({
  getParentRoute,
  path: '/campaigns/messages',
  validateSearch: messageSearch,
  component: lazyRouteComponent(() => import('../messages/messages-page.tsx'), 'MessagesPage'),
});

export const campaignRoutes = [
  campaigns,
  newCampaign,
  campaign,
  campaignLinks,
  campaignRecipients,
  campaignMessage,
  editCampaign,
  message,
  messages,
  templates,
  newTemplate,
  template,
  coupons,
] as const;
