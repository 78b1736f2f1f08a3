import {
  IconActivity,
  IconAdjustments,
  IconBan,
  IconBroadcast,
  IconBuilding,
  IconChartBar,
  IconChartDots,
  IconDownload,
  IconEye,
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
  IconTemplate,
  IconTicket,
  IconUpload,
  IconUser,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
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

/** An entry of the navigation. The first of its tabs is the page that the entry opens. */
export type Section = Place & { tabs: readonly Place[] };

/** The navigation, in order. The path of a page does not tell its section: forms are made of contacts, and used like campaigns. */
export const sections: readonly Section[] = [
  { to: '/', name: 'Overview', icon: IconHome, key: 'o', tabs: [] },
  {
    ...{ to: '/contacts', name: 'Contacts', icon: IconUsers, key: 'c' },
    tabs: [
      { to: '/contacts', name: 'All contacts', icon: IconUsers },
      { to: '/segments', name: 'Segments', icon: IconFilter, key: 's' },
      { to: '/contacts/imports', name: 'Imports', icon: IconUpload },
      { to: '/contacts/exports', name: 'Exports', icon: IconDownload },
      { to: '/contacts/suppressions', name: 'Suppressions', icon: IconBan },
    ],
  },
  {
    ...{ to: '/campaigns', name: 'Campaigns', icon: IconMail, key: 'm' },
    tabs: [
      { to: '/campaigns', name: 'All campaigns', icon: IconMail },
      { to: '/campaigns/messages', name: 'Messages', icon: IconSend },
      { to: '/campaigns/templates', name: 'Templates', icon: IconTemplate },
      { to: '/campaigns/coupons', name: 'Coupons', icon: IconTicket },
      { to: '/contacts/forms', name: 'Forms', icon: IconForms, key: 'f' },
    ],
  },
  {
    ...{ to: '/leadpulse', name: 'LeadPulse', icon: IconActivity, key: 'l' },
    tabs: [
      { to: '/leadpulse', name: 'Traffic', icon: IconActivity },
      { to: '/leadpulse/live', name: 'Live', icon: IconBroadcast },
      { to: '/leadpulse/reports', name: 'Reports', icon: IconChartDots },
      { to: '/leadpulse/visitors', name: 'Visitors', icon: IconEye },
      { to: '/leadpulse/websites', name: 'Websites', icon: IconWorld },
      { to: '/leadpulse/settings', name: 'Tracking settings', icon: IconAdjustments },
    ],
  },
  { to: '/workflows', name: 'Workflows', icon: IconGitBranch, key: 'w', tabs: [] },
];

export type SettingsGroup = { name: string; places: readonly Place[] };

/** The sub-navigation of the settings. All but the user's own page are shown to admins. */
export const settings: readonly SettingsGroup[] = [
  {
    name: 'General',
    places: [
      { to: '/settings/account', name: 'Account', icon: IconBuilding },
      { to: '/settings/team', name: 'Team', icon: IconUsersGroup },
      { to: '/settings/single-sign-on', name: 'Single sign-on', icon: IconLogin2 },
      { to: '/settings/usage', name: 'Plan and usage', icon: IconChartBar },
      { to: '/settings/audit-log', name: 'Audit log', icon: IconHistory },
    ],
  },
  {
    name: 'Email',
    places: [
      { to: '/settings/brand', name: 'Brand', icon: IconPalette },
      { to: '/settings/sending', name: 'Sending', icon: IconSend },
    ],
  },
  {
    name: 'Developers',
    places: [
      { to: '/settings/api-keys', name: 'API Keys', icon: IconKey },
      { to: '/settings/oauth-clients', name: 'OAuth clients', icon: IconPlugConnected },
      { to: '/settings/webhooks', name: 'Webhooks', icon: IconWebhook },
    ],
  },
  { name: 'You', places: [{ to: '/you', name: 'Password and sessions', icon: IconUser }] },
];

/** Every page of the navigation once, with the keys that open them. */
export const places: readonly Place[] = sections.flatMap(({ tabs, ...section }) => [
  section,
  ...tabs.filter(({ to }) => to !== section.to),
]);

/** The page of the navigation that a path is on or below: of several, the nearest. */
export function placeOf(path: string, among: readonly Place[] = places): Place | undefined {
  const around = among.filter(({ to }) => path === to || path.startsWith(`${to}/`));
  return around.toSorted((one, other) => other.to.length - one.to.length)[0];
}

/** The section that a path belongs to. */
export function sectionOf(path: string): Section | undefined {
  const place = placeOf(path);
  return sections.find(({ to, tabs }) => to === place?.to || tabs.some((tab) => tab.to === place?.to));
}
