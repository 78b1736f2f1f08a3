import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './panel.module.css';

type Props = {
  title: string;
  action?: ReactNode;
  /** What links to the panel name after `#`. */
  anchor?: string;
  children: ReactNode;
};

/** A section of a page with its own title. */
export function Panel({ title, action, anchor, children }: Props) {
  const id = useId();
  return (
    <section id={anchor} className={classes.panel} aria-labelledby={id}>
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

/** Panels side by side, as many as fit. */
export const Columns = ({ children }: { children: ReactNode }) => <div className={classes.columns}>{children}</div>;
