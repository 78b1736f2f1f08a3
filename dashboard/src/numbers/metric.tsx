import { Skeleton } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './metric.module.css';

type Props = { label: string; value: ReactNode; under?: ReactNode };

/** Metrics side by side, each a label and a value; `inFours` for two rows of four. */
export const Metrics = ({ children, label, inFours = false }: { children: ReactNode; label: string; inFours?: boolean }) => (
  <section aria-label={label} className={classes.figures} data-in-fours={inFours || undefined}>
    {children}
  </section>
);

export function Metric({ label, value, under }: Props) {
  return (
    <div className={classes.figure}>
      <span className={classes.label}>{label}</span>
      <span className={classes.value}>{value ?? <Skeleton height={30} width={72} my={4} />}</span>
      {under && <span className={classes.under}>{under}</span>}
    </div>
  );
}

/** A metric that links to the page it comes from. */
export const LinkedMetric = createLink(
  ({ label, value, under, children: _, ...anchor }: Props & AnchorHTMLAttributes<HTMLAnchorElement>) => (
    <a {...anchor} className={classes.linked}>
      <Metric label={label} value={value} under={under} />
    </a>
  ),
);
