import { ActionIcon } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './list-table.module.css';

/** What can be done with a row, if anything, over its end. Hidden until the pointer or the focus is in the row. */
export const RowActions = ({ children }: { children: ReactNode }) => children && <span className={classes.actions}>{children}</span>;

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'color'> & { label: string };

/** An action of a row that leads to another page. */
export const RowAction = createLink(({ label, ...anchor }: Props) => (
  <ActionIcon component="a" variant="subtle" color="gray" size={28} aria-label={label} title={label} {...anchor} />
));
