import { Link } from '@tanstack/react-router';
import { settings } from '../navigation/places.ts';
import { usePermission } from '../session/permission.ts';
import classes from './settings-navigation.module.css';

/** The pages of the settings, beside each of them. */
export function SettingsNavigation() {
  const { isShown } = usePermission();
  const groups = settings.map(({ name, places }) => ({ name, places: places.filter(isShown) })).filter(({ places }) => places.length > 0);
  return (
    <nav aria-label="Settings" className={classes.settings}>
      {groups.map(({ name: group, places }) => (
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
}
