import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Confirm } from '../shell/confirm.tsx';
import { type User, useRemoveUser } from './team.ts';

/** Asks before somebody is locked out; undefined: closed. */
export function RemovePerson({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRemoveUser();
  // While the dialog fades it still names whom it was opened for.
  const [shown, setShown] = useState(user);
  if (user && user !== shown) setShown(user);
  const close = () => {
    reset();
    onClose();
  };
  const remove = ({ id, name }: User) =>
    mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `${name} is removed.` });
        close();
      },
    });

  return (
    <Confirm
      opened={user !== undefined}
      onClose={close}
      title="Remove from the team?"
      confirm="Remove"
      isPending={isPending}
      error={error}
      failed="Nobody was removed"
      onConfirm={() => shown && remove(shown)}
    >
      <Text size="sm">
        <strong>{shown?.name}</strong> is signed out everywhere and cannot come in again. What they made stays.
      </Text>
    </Confirm>
  );
}
