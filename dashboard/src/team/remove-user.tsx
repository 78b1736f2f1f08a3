import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Confirm } from '../shell/confirm.tsx';
import { type User, useRemoveUser } from './team.ts';

/** Confirms removing a user. `undefined`: closed. */
export function RemoveUser({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRemoveUser();
  // Keeps the name on screen while the dialog fades out.
  const [shown, setShown] = useState(user);
  if (user && user !== shown) setShown(user);
  const close = () => {
    reset();
    onClose();
  };
  const remove = ({ id, name }: User) =>
    mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `${name} was removed.` });
        close();
      },
    });

  return (
    <Confirm
      opened={user !== undefined}
      onClose={close}
      title="Remove this user?"
      confirm="Remove"
      isPending={isPending}
      error={error}
      failed="Couldn't remove the user"
      onConfirm={() => shown && remove(shown)}
    >
      <Text size="sm">
        <strong>{shown?.name}</strong> is signed out everywhere and loses access. Everything they created is kept.
      </Text>
    </Confirm>
  );
}
