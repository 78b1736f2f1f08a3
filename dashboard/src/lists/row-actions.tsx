import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './list-table.module.css';

/** What can be done with a row, if anything, over its end. Hidden until the pointer or the focus is in the row. */
export const RowActions = ({ children }: { children: ReactNode }) => children && <span className={classes.actions}>{children}</span>;

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { label: string };

/** An action of a row that leads to another page. A plain link, because a table renders a hundred of them. */
export const RowAction = createLink(({ label, href, ...anchor }: Props) => (
  <a href={href} className={classes.action} aria-label={label} title={label} {...anchor} />
));
