import type { Scope } from '@marketing-platform/sdk';
import {
  IconActivity,
  IconBuilding,
  IconChartBar,
  IconFilter,
  IconForms,
  IconGitBranch,
  IconHistory,
  IconHome,
  IconKey,
  IconLogin2,
  IconMail,
  IconPalette,
  IconPlugConnected,
  IconSend,
  IconShieldLock,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';

export type Place = {
  to: NonNullable<LinkProps['to']>;
  name: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  /** Shown to users who have it; without one, to all. */
  scope?: Scope;
  /** Opens the page after `g`. */
  key?: string;
};

/** The top-level pages, in order. */
export const places: readonly Place[] = [
  { to: '/', name: 'Overview', icon: IconHome, key: 'o' },
  { to: '/contacts', scope: 'contacts:read', name: 'Contacts', icon: IconUsers, key: 'c' },
  { to: '/contacts/forms', scope: 'contacts:read', name: 'Forms', icon: IconForms, key: 'f' },
  { to: '/segments', scope: 'segments:read', name: 'Segments', icon: IconFilter, key: 's' },
  { to: '/campaigns', scope: 'campaigns:read', name: 'Campaigns', icon: IconMail, key: 'm' },
  { to: '/leadpulse', scope: 'leadpulse:read', name: 'LeadPulse', icon: IconActivity, key: 'l' },
  { to: '/workflows', scope: 'workflows:read', name: 'Workflows', icon: IconGitBranch, key: 'w' },
];
/** The pages of the settings. */
export const settings: readonly Place[] = [
  { to: '/settings/account', scope: 'settings:read', name: 'Account', icon: IconBuilding },
  { to: '/settings/brand', scope: 'settings:read', name: 'Brand', icon: IconPalette },
  { to: '/settings/sending', scope: 'settings:read', name: 'Sending', icon: IconSend },
  { to: '/settings/api-keys', scope: 'settings:read', name: 'API Keys', icon: IconKey },
  { to: '/settings/oauth-clients', scope: 'settings:read', name: 'OAuth clients', icon: IconPlugConnected },
  { to: '/settings/webhooks', scope: 'webhooks:write', name: 'Webhooks', icon: IconWebhook },
  { to: '/settings/usage', scope: 'settings:read', name: 'Plan and usage', icon: IconChartBar },
  { to: '/settings/team', scope: 'settings:read', name: 'Team', icon: IconUsersGroup },
  { to: '/settings/roles', scope: 'settings:read', name: 'Roles', icon: IconShieldLock },
  { to: '/settings/single-sign-on', scope: 'settings:read', name: 'Single sign-on', icon: IconLogin2 },
  { to: '/settings/audit-log', scope: 'settings:read', name: 'Audit log', icon: IconHistory },
];
