import { Skeleton } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, Children, type CSSProperties, type ReactNode } from 'react';
import classes from './metric.module.css';

type Props = { label: ReactNode; value: ReactNode; under?: ReactNode };

/** Keeps the place of the line below a value that is being loaded. */
export const lineToCome = '\u00a0';
/** So many numbers can matter at once. */
const mostFirst = 3;

/** Metrics, each a label and a value: the first three large, side by side, and the others smaller below them. */
export function Metrics({ children, label }: { children: ReactNode; label?: string }) {
  const all = Children.toArray(children);
  // A fourth alone below them would look forgotten.
  const first = all.length === mostFirst + 1 ? all : all.slice(0, mostFirst);
  const others = all.slice(first.length);
  return (
    <section aria-label={label} className={classes.figures}>
      <div className={classes.first}>{first}</div>
      {others.length > 0 && <div className={classes.others}>{others}</div>}
    </section>
  );
}

export function Metric({ label, value, under }: Props) {
  const isNumber = typeof value === 'string';
  return (
    <div className={classes.figure} style={{ '--characters': isNumber ? value.length : 0 } as CSSProperties}>
      <span className={classes.label}>{label}</span>
      <span className={classes.value} data-number={isNumber || undefined}>
        {value ?? <Skeleton height="0.8em" width={72} display="inline-block" />}
      </span>
      {(under || value === undefined) && <span className={classes.under}>{under || lineToCome}</span>}
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
