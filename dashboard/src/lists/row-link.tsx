import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './row-link.module.css';

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { under?: ReactNode };

/** What a row is called; a click anywhere in the row opens it. */
export const RowLink = createLink(({ under, children, ...anchor }: Props) => (
  <>
    <a {...anchor} className={classes.link}>
      {children}
    </a>
    {under && <span className={classes.under}>{under}</span>}
  </>
));
