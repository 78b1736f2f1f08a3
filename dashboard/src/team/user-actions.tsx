import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDots } from '@tabler/icons-react';
import { useRoleChoices } from '../roles/role-choices.ts';
import { type User, useChangeRole, useUnlinkUser } from './team.ts';

type Props = { user: User; isMe: boolean; onRemove: (user: User) => void; onInviteAgain: (user: User) => void };

/** An admin's actions for another user. The owner has none: their role is fixed. */
export function UserActions({ user, isMe, onRemove, onInviteAgain }: Props) {
  const { mutate } = useChangeRole();
  const choices = useRoleChoices();
  const unlink = useUnlinkUser();
  if (isMe || user.role === 'owner') return null;
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Role</Menu.Label>
        {choices.map(({ value: role, label }) => (
          <Menu.RadioItem
            key={role}
            value={role}
            checked={user.role === role}
            onChange={() =>
              mutate(
                { id: user.id, role },
                { onError: (error) => notifications.show({ color: 'red', title: "Couldn't change the role", message: error.message }) },
              )
            }
          >
            {label}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        {user.status === 'invited' && <Menu.Item onClick={() => onInviteAgain(user)}>New invitation link</Menu.Item>}
        {user.status === 'active' && (
          <Menu.Item
            onClick={() =>
              unlink.mutate(user.id, {
                onSuccess: () => notifications.show({ message: `${user.name} is linked again at the next single sign-on.` }),
                onError: (error) => notifications.show({ color: 'red', title: "Couldn't unlink the user", message: error.message }),
              })
            }
          >
            Unlink from single sign-on
          </Menu.Item>
        )}
        <Menu.Item color="red" onClick={() => onRemove(user)}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
