import { Skeleton } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, Children, type CSSProperties, type ReactNode } from 'react';
import classes from './metric.module.css';

type Props = { label: string; value: ReactNode; under?: ReactNode };

/** More would not fit beside the navigation on a laptop, and the last would stand alone. */
const mostInRow = 6;

/** Metrics side by side, each a label and a value, in rows of about the same number. */
export function Metrics({ children, label }: { children: ReactNode; label: string }) {
  const length = Math.max(1, Children.toArray(children).length);
  const inRow = Math.ceil(length / Math.ceil(length / mostInRow));
  return (
    <section aria-label={label} className={classes.figures} style={{ '--in-row': inRow } as CSSProperties}>
      {children}
    </section>
  );
}

export function Metric({ label, value, under }: Props) {
  const isNumber = typeof value === 'string';
  return (
    <div className={classes.figure} style={{ '--characters': isNumber ? value.length : 0 } as CSSProperties}>
      <span className={classes.label}>{label}</span>
      <span className={classes.value} data-number={isNumber || undefined}>
        {value ?? <Skeleton height={30} width={72} my={4} />}
      </span>
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
