import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './page-tabs.module.css';

type Props = {
  label: string;
  /** Above the title of a page, across the window. */
  isBar?: boolean;
  children: ReactNode;
};

/** Links to pages that are parts of one. On a narrow screen they scroll. */
export const PageTabs = ({ label, isBar = false, children }: Props) => (
  <nav aria-label={label} className={classes.tabs} data-bar={isBar || undefined}>
    {children}
  </nav>
);

export const TabLink = createLink((anchor: AnchorHTMLAttributes<HTMLAnchorElement>) => <a {...anchor} className={classes.tab} />);
