import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

/** The layout around every page: the navigation at the side, or behind a button on narrow screens. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);

  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <aside className={classes.side}>
        <Brand />
        <Navigation />
      </aside>
      <section className={classes.top} aria-label="Marketing Platform">
        <Brand />
        <Burger opened={opened} onClick={open} size="sm" aria-label="Open navigation" aria-expanded={opened} />
      </section>
      <Drawer opened={opened} onClose={close} size={280} title={<Brand />} closeButtonProps={{ 'aria-label': 'Close navigation' }}>
        <div className={classes.drawn}>
          <Navigation onNavigate={close} />
        </div>
      </Drawer>
      <main id="content" tabIndex={-1} className={classes.main}>
        {children}
      </main>
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
