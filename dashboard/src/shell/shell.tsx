import { ActionIcon, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { firstSetting } from '../navigation/places.ts';
import { useShortcuts } from '../navigation/use-shortcuts.ts';
import type { Command } from '../palette/commands.tsx';
import { StoppedBanner } from '../sending/stopped-banner.tsx';
import { usePermission } from '../session/permission.ts';
import { Brand } from './brand.tsx';
import { Navigation, SectionBar } from './navigation.tsx';
import { SearchButton } from './search-button.tsx';
import { SectionTabs } from './section-tabs.tsx';
import { SettingsNavigation } from './settings-navigation.tsx';
import classes from './shell.module.css';
import { loadCommands, loadDrawer, loadMentions } from './shell-parts.ts';

/** Loaded when they are opened for the first time. */
const Commands = lazy(loadCommands);
const NavigationDrawer = lazy(loadDrawer);
const MentionsMenu = lazy(loadMentions);

/** The layout around every page: the navigation at the side; on narrow screens at the bottom, with the rest of it behind a button. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [wasOpened, setWasOpened] = useState(false);
  if (opened && !wasOpened) setWasOpened(true);
  const [command, setCommand] = useState<Command>();
  const [wasCommanded, setWasCommanded] = useState(false);
  const run = (wanted: Command) => {
    setWasCommanded(true);
    setCommand(wanted);
  };
  useShortcuts({ onSearch: () => run('search'), onHelp: () => run('help') });

  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <aside className={classes.side}>
        <Group justify="space-between" wrap="nowrap" gap={0}>
          <Brand />
          <Suspense>
            <MentionsMenu />
          </Suspense>
        </Group>
        <SearchButton onClick={() => run('search')} />
        <Navigation />
      </aside>
      <section className={classes.top} aria-label="Marketing Platform">
        <Brand />
        <Group gap="xs">
          <Suspense>
            <MentionsMenu />
          </Suspense>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={() => run('search')}>
            <IconSearch size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
          <Burger opened={opened} onClick={open} size="sm" aria-label="Open navigation" aria-expanded={opened} />
        </Group>
      </section>
      {wasOpened && (
        <Suspense>
          <NavigationDrawer opened={opened} onClose={close} />
        </Suspense>
      )}
      <div className={classes.body}>
        <SectionTabs />
        <main id="content" tabIndex={-1} className={classes.main}>
          <StoppedBanner />
          <WithSettings>{children}</WithSettings>
        </main>
      </div>
      <SectionBar />
      {wasCommanded && (
        <Suspense>
          <Commands command={command} onCommand={setCommand} />
        </Suspense>
      )}
    </div>
  );
}

/** The pages of the settings have their navigation beside them. */
function WithSettings({ children }: { children: ReactNode }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { isShown } = usePermission();
  if (!firstSetting(isShown) || !(path.startsWith('/settings/') || path === '/you')) return children;
  return (
    <div className={classes.withSettings}>
      <SettingsNavigation />
      <div>{children}</div>
    </div>
  );
}
