import type { Scope } from '@marketing-platform/sdk';
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
  IconShieldLock,
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
  /** Shown to users who have it; without one, to all. */
  scope?: Scope;
  /** Opens the page after `g`. */
  key?: string;
};

/** An entry of the navigation. The first of its tabs is the page that the entry opens. */
export type Section = Place & { tabs: readonly Place[] };

/** The navigation, in order. The path of a page does not tell its section: forms are made of contacts, and used like campaigns. */
export const sections: readonly Section[] = [
  { to: '/', name: 'Overview', icon: IconHome, key: 'o', tabs: [] },
  {
    ...{ to: '/contacts', scope: 'contacts:read', name: 'Contacts', icon: IconUsers, key: 'c' },
    tabs: [
      { to: '/contacts', scope: 'contacts:read', name: 'All contacts', icon: IconUsers },
      { to: '/segments', scope: 'segments:read', name: 'Segments', icon: IconFilter, key: 's' },
      { to: '/contacts/imports', scope: 'contacts:read', name: 'Imports', icon: IconUpload },
      { to: '/contacts/exports', scope: 'contacts:read', name: 'Exports', icon: IconDownload },
      { to: '/contacts/suppressions', scope: 'contacts:read', name: 'Suppressions', icon: IconBan },
    ],
  },
  {
    ...{ to: '/campaigns', scope: 'campaigns:read', name: 'Campaigns', icon: IconMail, key: 'm' },
    tabs: [
      { to: '/campaigns', scope: 'campaigns:read', name: 'All campaigns', icon: IconMail },
      { to: '/campaigns/messages', scope: 'campaigns:read', name: 'Messages', icon: IconSend },
      { to: '/campaigns/templates', scope: 'campaigns:read', name: 'Templates', icon: IconTemplate },
      { to: '/campaigns/coupons', scope: 'campaigns:read', name: 'Coupons', icon: IconTicket },
      { to: '/contacts/forms', scope: 'contacts:read', name: 'Forms', icon: IconForms, key: 'f' },
    ],
  },
  {
    ...{ to: '/leadpulse', scope: 'leadpulse:read', name: 'LeadPulse', icon: IconActivity, key: 'l' },
    tabs: [
      { to: '/leadpulse', scope: 'leadpulse:read', name: 'Traffic', icon: IconActivity },
      { to: '/leadpulse/live', scope: 'leadpulse:read', name: 'Live', icon: IconBroadcast },
      { to: '/leadpulse/reports', scope: 'leadpulse:read', name: 'Reports', icon: IconChartDots },
      { to: '/leadpulse/visitors', scope: 'leadpulse:read', name: 'Visitors', icon: IconEye },
      { to: '/leadpulse/websites', scope: 'leadpulse:read', name: 'Websites', icon: IconWorld },
      { to: '/leadpulse/settings', scope: 'leadpulse:read', name: 'Tracking settings', icon: IconAdjustments },
    ],
  },
  { to: '/workflows', scope: 'workflows:read', name: 'Workflows', icon: IconGitBranch, key: 'w', tabs: [] },
];

export type SettingsGroup = { name: string; places: readonly Place[] };

/** The sub-navigation of the settings. */
export const settings: readonly SettingsGroup[] = [
  {
    name: 'General',
    places: [
      { to: '/settings/account', scope: 'settings:read', name: 'Account', icon: IconBuilding },
      { to: '/settings/team', scope: 'settings:read', name: 'Team', icon: IconUsersGroup },
      { to: '/settings/roles', scope: 'settings:read', name: 'Roles', icon: IconShieldLock },
      { to: '/settings/single-sign-on', scope: 'settings:read', name: 'Single sign-on', icon: IconLogin2 },
      { to: '/settings/usage', scope: 'settings:read', name: 'Plan and usage', icon: IconChartBar },
      { to: '/settings/audit-log', scope: 'settings:read', name: 'Audit log', icon: IconHistory },
    ],
  },
  {
    name: 'Email',
    places: [
      { to: '/settings/brand', scope: 'settings:read', name: 'Brand', icon: IconPalette },
      { to: '/settings/sending', scope: 'settings:read', name: 'Sending', icon: IconSend },
    ],
  },
  {
    name: 'Developers',
    places: [
      { to: '/settings/api-keys', scope: 'settings:read', name: 'API Keys', icon: IconKey },
      { to: '/settings/oauth-clients', scope: 'settings:read', name: 'OAuth clients', icon: IconPlugConnected },
      { to: '/settings/webhooks', scope: 'webhooks:write', name: 'Webhooks', icon: IconWebhook },
    ],
  },
  { name: 'You', places: [{ to: '/you', name: 'Password and sessions', icon: IconUser }] },
];

/**
 * The sections with the pages that are shown to the user. A section whose own page is not shown opens the first of its tabs that is.
 */
export const shownSections = (isShown: (place: Place) => boolean): Section[] =>
  sections.flatMap((section) => {
    const tabs = section.tabs.filter(isShown);
    if (isShown(section)) return { ...section, tabs };
    const [first] = tabs;
    return first ? { ...section, to: first.to, tabs } : [];
  });

/** The first page of the settings that is shown to the user, beside the user's own, which everybody has. */
export const firstSetting = (isShown: (place: Place) => boolean): Place | undefined =>
  settings.flatMap((group) => group.places).find((place) => place.scope !== undefined && isShown(place));

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
export function sectionOf(path: string, among: readonly Section[] = sections): Section | undefined {
  const place = placeOf(path);
  return among.find(({ to, tabs }) => to === place?.to || tabs.some((tab) => tab.to === place?.to));
}
