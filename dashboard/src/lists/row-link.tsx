import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './row-link.module.css';

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { under?: ReactNode };

/** The name of a row. The link covers the whole row. */
export const RowLink = createLink(({ under, children, ...anchor }: Props) => (
  <>
    <a {...anchor} className={classes.link}>
      {children}
    </a>
    {under && <span className={classes.under}>{under}</span>}
  </>
));
