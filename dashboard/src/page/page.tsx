import { Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import classes from './page.module.css';

type Props = {
  title: string;
  describes?: ReactNode;
  /** A `<BackLink>` to the parent page. */
  back?: ReactNode;
  action?: ReactNode;
  /** What stands before the title, such as a face. */
  avatar?: ReactNode;
  children: ReactNode;
};

/** The frame of every page: title, description and actions. */
export function Page({ title, describes, back, action, avatar, children }: Props) {
  return (
    <>
      <title>{`${title} · Marketing Platform`}</title>
      {back}
      <header className={classes.header}>
        {avatar}
        <div className={classes.words}>
          <Title order={1} size="h2" className={classes.title}>
            {title}
          </Title>
          {describes && (
            <Text size="sm" c="dimmed" mt={4} component="div">
              {describes}
            </Text>
          )}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}

export const BackLink = createLink(({ children, ...anchor }: AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <a {...anchor} className={classes.back}>
    <IconChevronLeft size={16} aria-hidden /> {children}
  </a>
));
