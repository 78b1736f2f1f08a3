import {
  IconActivity,
  IconBook,
  IconBuilding,
  IconChartBar,
  IconExternalLink,
  IconFilter,
  IconGitBranch,
  IconHistory,
  IconHome,
  IconKey,
  IconMail,
  IconPalette,
  IconPlugConnected,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { usePermission } from '../session/permission.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './navigation.module.css';

type Place = { to: NonNullable<LinkProps['to']>; name: string; icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }> };

/** The top-level pages, in order. */
const places: readonly Place[] = [
  { to: '/', name: 'Overview', icon: IconHome },
  { to: '/contacts', name: 'Contacts', icon: IconUsers },
  { to: '/segments', name: 'Segments', icon: IconFilter },
  { to: '/campaigns', name: 'Campaigns', icon: IconMail },
  { to: '/leadpulse', name: 'LeadPulse', icon: IconActivity },
  { to: '/workflows', name: 'Workflows', icon: IconGitBranch },
];
/** Shown to admins. */
const settings: readonly Place[] = [
  { to: '/settings/account', name: 'Account', icon: IconBuilding },
  { to: '/settings/brand', name: 'Brand', icon: IconPalette },
  { to: '/settings/api-keys', name: 'API Keys', icon: IconKey },
  { to: '/settings/oauth-clients', name: 'OAuth clients', icon: IconPlugConnected },
  { to: '/settings/webhooks', name: 'Webhooks', icon: IconWebhook },
  { to: '/settings/usage', name: 'Plan and usage', icon: IconChartBar },
  { to: '/settings/team', name: 'Team', icon: IconUsersGroup },
  { to: '/settings/audit-log', name: 'Audit log', icon: IconHistory },
];

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { isAdmin } = usePermission();
  return (
    <>
      <nav aria-label="Main" className={classes.navigation}>
        <Places places={places} onNavigate={onNavigate} />
        {isAdmin && (
          <section aria-label="Settings">
            <p className={classes.section}>Settings</p>
            <Places places={settings} onNavigate={onNavigate} />
          </section>
        )}
      </nav>
      <div className={classes.foot}>
        <a href="/reference" target="_blank" rel="noreferrer" className={classes.place}>
          <IconBook size={18} stroke={1.7} aria-hidden />
          API reference
          <IconExternalLink size={14} aria-label="opens in a new tab" className={classes.external} />
        </a>
        <AccountMenu />
      </div>
    </>
  );
}

const Places = ({ places: listed, onNavigate }: { places: readonly Place[]; onNavigate: (() => void) | undefined }) => (
  <div>
    {listed.map(({ to, name, icon: Icon }) => (
      <Link
        key={name}
        to={to}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        className={classes.place}
        {...(onNavigate && { onClick: onNavigate })}
      >
        <Icon size={18} stroke={1.7} aria-hidden />
        {name}
      </Link>
    ))}
  </div>
);
