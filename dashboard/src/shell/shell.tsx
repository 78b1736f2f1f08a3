import { ActionIcon, Burger, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useShortcuts } from '../navigation/use-shortcuts.ts';
import type { Command } from '../palette/commands.tsx';
import { StoppedBanner } from '../sending/stopped-banner.tsx';
import { Logo } from '../theme/logo.tsx';
import { Navigation } from './navigation.tsx';
import { SearchButton } from './search-button.tsx';
import classes from './shell.module.css';

/** Loaded when it is opened for the first time. */
const Commands = lazy(() => import('../palette/commands.tsx'));

/** The layout around every page: the navigation at the side, or behind a button on narrow screens. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
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
        <Brand />
        <SearchButton onClick={() => run('search')} />
        <Navigation />
      </aside>
      <section className={classes.top} aria-label="Marketing Platform">
        <Brand />
        <Group gap="xs">
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={() => run('search')}>
            <IconSearch size={18} stroke={1.7} aria-hidden />
          </ActionIcon>
          <Burger opened={opened} onClick={open} size="sm" aria-label="Open navigation" aria-expanded={opened} />
        </Group>
      </section>
      <Drawer opened={opened} onClose={close} size={280} title={<Brand />} closeButtonProps={{ 'aria-label': 'Close navigation' }}>
        <div className={classes.drawn}>
          <Navigation onNavigate={close} />
        </div>
      </Drawer>
      <main id="content" tabIndex={-1} className={classes.main}>
        <StoppedBanner />
        {children}
      </main>
      {wasCommanded && (
        <Suspense>
          <Commands command={command} onCommand={setCommand} />
        </Suspense>
      )}
    </div>
  );
}

function Brand() {
  return (
    <Link to="/" className={classes.brand}>
      <Logo size={24} /> Marketing Platform
    </Link>
  );
}
