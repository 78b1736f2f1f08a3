import type { ReactNode } from 'react';
import classes from './description-list.module.css';

/** Terms with their values. Empty values are omitted. */
export const DescriptionList = ({ items }: { items: Readonly<Record<string, ReactNode>> }) => (
  <dl className={classes.list}>
    {Object.entries(items)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([term, value]) => (
        <div key={term} className={classes.item}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
