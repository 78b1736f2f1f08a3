import { IconBook, IconChartBar, IconExternalLink, IconKey } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { AccountMenu } from './account-menu.tsx';
import classes from './navigation.module.css';

type Place = { to: NonNullable<LinkProps['to']>; name: string; icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }> };

/** Only what works is here; a page adds itself when it does. */
const sections: readonly { name: string; places: readonly Place[] }[] = [
  {
    name: 'Settings',
    places: [
      { to: '/settings/api-keys', name: 'API Keys', icon: IconKey },
      { to: '/settings/usage', name: 'Usage', icon: IconChartBar },
    ],
  },
];

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <>
      <nav aria-label="Main" className={classes.navigation}>
        {sections.map(({ name, places }) => (
          <section key={name} aria-label={name}>
            <p className={classes.section}>{name}</p>
            {places.map(({ to, name: place, icon: Icon }) => (
              <Link key={place} to={to} className={classes.place} {...(onNavigate && { onClick: onNavigate })}>
                <Icon size={18} stroke={1.7} aria-hidden />
                {place}
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <div className={classes.foot}>
        <a href="/openapi.json" target="_blank" rel="noreferrer" className={classes.place}>
          <IconBook size={18} stroke={1.7} aria-hidden />
          API reference
          <IconExternalLink size={14} aria-label="opens in a new tab" className={classes.away} />
        </a>
        <AccountMenu />
      </div>
    </>
  );
}
