import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { useLastDefined } from '../shell/use-last-defined.ts';
import { type User, useRemoveUser } from './team.ts';

/** Confirms removing a user. `undefined`: closed. */
export function RemoveUser({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRemoveUser();
  const shown = useLastDefined(user);
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
    <ConfirmDialog
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
    </ConfirmDialog>
  );
}
