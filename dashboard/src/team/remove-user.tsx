import { Text } from '@mantine/core';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { type User, useRemoveUser } from './team.ts';

/** Confirms removing a user. `undefined`: closed. */
export const RemoveUser = ({ user, onClose }: { user: User | undefined; onClose: () => void }) => (
  <ConfirmItemDialog
    item={user}
    onClose={onClose}
    mutation={useRemoveUser()}
    title="Remove this user?"
    confirm="Remove"
    failed="Couldn't remove the user"
    done="was removed."
  >
    {({ name }) => (
      <Text size="sm">
        <strong>{name}</strong> is signed out everywhere and loses access. Everything they created is kept.
      </Text>
    )}
  </ConfirmItemDialog>
);
