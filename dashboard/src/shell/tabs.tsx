import { Link, useLocation } from '@tanstack/react-router';
import { sectionOf, settings } from '../navigation/places.ts';
import classes from './tabs.module.css';

/** The tabs of a section, on each of their pages. What is below one of them leads back to it instead. */
export function SectionTabs() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const section = sectionOf(path);
  if (!section?.tabs.some(({ to }) => to === path)) return null;
  return (
    <nav aria-label={`Pages of ${section.name}`} className={classes.tabs}>
      {section.tabs.map(({ to, name }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={classes.tab}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** The pages of the settings, beside each of them. */
export const SettingsNavigation = () => (
  <nav aria-label="Settings" className={classes.settings}>
    {settings.map(({ name: group, places }) => (
      <div key={group} className={classes.group}>
        <p className={classes.groupName} aria-hidden>
          {group}
        </p>
        {places.map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ includeSearch: false }} className={classes.setting}>
            {name}
          </Link>
        ))}
      </div>
    ))}
  </nav>
);
