import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { AccountToChoose } from './session.ts';
import classes from './sign-in-page.module.css';

type Props = {
  accounts: readonly AccountToChoose[];
  choosing: { isPending: boolean; error: Error | null; variables: string | undefined };
  onChoose: (id: string) => void;
  /** What follows an error. */
  children: ReactNode;
};

/** Asks a person who is a user of several accounts where to continue. */
export function ChooseAccount({ accounts, choosing, onChoose, children }: Props) {
  const { isPending, error, variables } = choosing;
  const label = useId();
  return (
    <Stack gap="sm" role="group" aria-labelledby={label}>
      <Text size="sm" id={label}>
        You are a user of several accounts. Choose one.
      </Text>
      {error && <ErrorAlert error={error} title="Couldn't sign in" />}
      {children}
      {accounts.map(({ id, name, role }, index) => (
        <Button
          key={id}
          variant="default"
          justify="space-between"
          h="auto"
          py="xs"
          classNames={{ label: classes.accountName }}
          autoFocus={index === 0}
          loading={isPending && variables === id}
          disabled={isPending}
          rightSection={
            <Text component="span" size="sm" c="dimmed">
              {role}
            </Text>
          }
          onClick={() => onChoose(id)}
        >
          {name}
        </Button>
      ))}
    </Stack>
  );
}
