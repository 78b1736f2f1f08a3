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
  /** Opens the page after `g`. */
  key?: string;
};

/** The top-level pages, in order. */
export const places: readonly Place[] = [
  { to: '/', name: 'Overview', icon: IconHome, key: 'o' },
  { to: '/contacts', name: 'Contacts', icon: IconUsers, key: 'c' },
  { to: '/contacts/forms', name: 'Forms', icon: IconForms, key: 'f' },
  { to: '/segments', name: 'Segments', icon: IconFilter, key: 's' },
  { to: '/campaigns', name: 'Campaigns', icon: IconMail, key: 'm' },
  { to: '/leadpulse', name: 'LeadPulse', icon: IconActivity, key: 'l' },
  { to: '/workflows', name: 'Workflows', icon: IconGitBranch, key: 'w' },
];
/** Shown to admins. */
export const settings: readonly Place[] = [
  { to: '/settings/account', name: 'Account', icon: IconBuilding },
  { to: '/settings/brand', name: 'Brand', icon: IconPalette },
  { to: '/settings/sending', name: 'Sending', icon: IconSend },
  { to: '/settings/api-keys', name: 'API Keys', icon: IconKey },
  { to: '/settings/oauth-clients', name: 'OAuth clients', icon: IconPlugConnected },
  { to: '/settings/webhooks', name: 'Webhooks', icon: IconWebhook },
  { to: '/settings/usage', name: 'Plan and usage', icon: IconChartBar },
  { to: '/settings/team', name: 'Team', icon: IconUsersGroup },
  { to: '/settings/single-sign-on', name: 'Single sign-on', icon: IconLogin2 },
  { to: '/settings/audit-log', name: 'Audit log', icon: IconHistory },
];
