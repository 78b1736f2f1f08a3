import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page.module.css';

type Props = { title: string; describes?: string; action?: ReactNode; children: ReactNode };

/** What every page has: its title, what it is for, and what one can do on it. */
export function Page({ title, describes, action, children }: Props) {
  return (
    <>
      <title>{`${title} · Marketing Platform`}</title>
      <header className={classes.header}>
        <div className={classes.words}>
          <Title order={1} size="h2">
            {title}
          </Title>
          {describes && (
            <Text size="sm" c="dimmed" mt={4}>
              {describes}
            </Text>
          )}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}
