import type { ReactNode } from 'react';
import classes from './status.module.css';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'over';

/** A state in a word; the dot before it only repeats what the word says. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes.status} data-tone={tone}>
    {children}
  </span>
);
