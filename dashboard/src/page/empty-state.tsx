import { Text, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import classes from './empty-state.module.css';

type Props = {
  title: string;
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true; className?: string }>;
  /** What the missing items are for. */
  children: ReactNode;
  /** The button that adds the first one. */
  action?: ReactNode;
};

/** An empty state: what belongs here, and a button that adds the first one. */
export const EmptyState = ({ title, icon: Icon, children, action }: Props) => (
  <section className={classes.empty} aria-label={title}>
    <Icon size={24} stroke={1.6} aria-hidden className={classes.icon ?? ''} />
    <Title order={2} size="h4">
      {title}
    </Title>
    <Text c="dimmed" size="sm" maw={440} component="div">
      {children}
    </Text>
    {action && <div className={classes.action}>{action}</div>}
  </section>
);
