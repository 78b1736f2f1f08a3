import { IconBook, IconExternalLink, IconSettings } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { firstSetting, sectionOf, shownSections } from '../navigation/places.ts';
import { usePermission } from '../session/permission.ts';
import { AccountButton } from './account-button.tsx';
import { loadAccountMenu } from './load-account-menu.ts';
import classes from './navigation.module.css';

const AccountMenu = lazy(loadAccountMenu);

type Props = { onNavigate?: () => void };

export function Navigation({ onNavigate }: Props) {
  const { isShown } = usePermission();
  const setting = firstSetting(isShown);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isInSettings = path.startsWith('/settings');
  return (
    <>
      <nav aria-label="Main" className={classes.navigation}>
        <Sections onNavigate={onNavigate} />
      </nav>
      <div className={classes.foot}>
        {setting && (
          <Link
            to={setting.to}
            className={classes.place}
            aria-current={isInSettings ? 'true' : undefined}
            {...(onNavigate && { onClick: onNavigate })}
          >
            <IconSettings size={18} stroke={1.7} aria-hidden />
            Settings
          </Link>
        )}
        <a href="/reference" target="_blank" rel="noreferrer" className={classes.place}>
          <IconBook size={18} stroke={1.7} aria-hidden />
          API reference
          <IconExternalLink size={14} aria-label="opens in a new tab" className={classes.external} />
        </a>
        <Suspense fallback={<AccountButton />}>
          <AccountMenu />
        </Suspense>
      </div>
    </>
  );
}

/** The sections, at the bottom of a phone, in reach of the thumb. */
export const SectionBar = () => (
  <nav aria-label="Sections" className={classes.bar}>
    <Sections />
  </nav>
);

function Sections({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { isShown } = usePermission();
  const sections = shownSections(isShown);
  const current = sectionOf(path, sections);
  return sections.map(({ to, name, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      className={classes.place}
      // The router marks the link of the page itself.
      {...(to === current?.to && path !== to && { 'aria-current': 'true' as const })}
      {...(onNavigate && { onClick: onNavigate })}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
      {name}
    </Link>
  ));
}
