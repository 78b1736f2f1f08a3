import { Menu, Text, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { hasUnsavedChanges } from '../form/unsaved-changes.tsx';
import { useSignOut } from '../session/session-query.ts';
import { AccountButton } from './account-button.tsx';

const appearances = [
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
  { value: 'auto', name: 'System' },
] as const;

/** The signed-in user, the appearance and signing out. */
export function AccountMenu() {
  const { mutate: signOut, isPending } = useSignOut();
  const [isAsking, setAsking] = useState(false);
  // Pausing transitions would insert a <style> element, which the Content-Security-Policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const leave = () =>
    signOut(undefined, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't sign out", message: error.message }),
    });

  return (
    <>
      <Menu position="top-start" width="target" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <AccountButton />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Appearance</Menu.Label>
          {appearances.map(({ value, name }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              checked={colorScheme === value}
              onChange={() => setColorScheme(value)}
              closeMenuOnClick={false}
            >
              {name}
            </Menu.RadioItem>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} to="/you" leftSection={<IconUser size={16} aria-hidden />}>
            Password and sessions
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => (hasUnsavedChanges() ? setAsking(true) : leave())}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out without saving?"
        confirm="Sign out"
        keep="Keep editing"
        failed="Couldn't sign out"
        isPending={isPending}
        error={null}
        onConfirm={leave}
      >
        <Text size="sm">You have changes that are not saved. If you sign out, they are lost.</Text>
      </ConfirmDialog>
    </>
  );
}
