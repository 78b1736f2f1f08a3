import { IconBook, IconExternalLink } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type Place, places, settings } from '../navigation/places.ts';
import { usePermission } from '../session/permission.ts';
import { AccountMenu } from './account-menu.tsx';
import classes from './navigation.module.css';

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const { may } = usePermission();
  const isShown = ({ scope }: Place) => scope === undefined || may(scope);
  const shownSettings = settings.filter(isShown);
  return (
    <>
      <nav aria-label="Main" className={classes.navigation}>
        <Places places={places.filter(isShown)} onNavigate={onNavigate} />
        {shownSettings.length > 0 && (
          <section aria-label="Settings">
            <p className={classes.section}>Settings</p>
            <Places places={shownSettings} onNavigate={onNavigate} />
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

const Places = ({ places: listed, onNavigate }: { places: readonly Place[]; onNavigate: (() => void) | undefined }) => {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const around = listed.filter(({ to }) => path === to || path.startsWith(`${to}/`)).map(({ to }) => to);
  // A page below another one that is listed, too, is not also a part of that.
  const current = around.toSorted((one, other) => other.length - one.length)[0];
  return (
    <div>
      {listed.map(({ to, name, icon: Icon }) => (
        <Link
          key={name}
          to={to}
          activeOptions={{ exact: to !== current, includeSearch: false }}
          className={classes.place}
          {...(onNavigate && { onClick: onNavigate })}
        >
          <Icon size={18} stroke={1.7} aria-hidden />
          {name}
        </Link>
      ))}
    </div>
  );
};
