import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useMe } from '../session/session-query.ts';
import classes from './account-button.module.css';

/** The signed-in user and the account. Its menu is loaded later. */
export function AccountButton(button: ComponentProps<'button'>) {
  const { data: me } = useMe();
  return (
    <UnstyledButton {...button} className={classes.account}>
      <span className={classes.face} aria-hidden>
        {me?.name.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes.who}>
        <VisuallyHidden>Account: </VisuallyHidden>
        <Text size="sm" fw={500} truncate>
          {me?.name ?? ' '}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {me?.account.name ?? ' '}
        </Text>
      </span>
      <IconSelector size={16} aria-hidden className={classes.arrow} />
    </UnstyledButton>
  );
}
