import type { ReactNode } from 'react';
import classes from './status.module.css';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'over';

/** A status as text, with a decorative colored dot. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes.status} data-tone={tone}>
    {children}
  </span>
);
