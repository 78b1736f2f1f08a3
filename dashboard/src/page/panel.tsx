import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './panel.module.css';

type Props = { title: string; action?: ReactNode; children: ReactNode };

/** A section of a page with its own title. */
export function Panel({ title, action, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.head}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {action}
      </header>
      {children}
    </section>
  );
}

/** A list of terms and values. Empty values are omitted. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={classes.facts}>
      {Object.entries(facts)
        .filter(([, fact]) => fact !== null && fact !== undefined && fact !== '')
        .map(([term, fact]) => (
          <div key={term} className={classes.fact}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Panels side by side, as many as fit. */
export const Columns = ({ children }: { children: ReactNode }) => <div className={classes.columns}>{children}</div>;
