import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import rowClasses from '../lists/row-link.module.css';
import { Status } from '../page/status.tsx';
import { useRoleChoices } from '../roles/role-choices.ts';
import { usePermission } from '../session/permission.ts';
import { useMe } from '../session/session-query.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { InviteUser } from './invite-user.tsx';
import { RemoveUser } from './remove-user.tsx';
import { type Role, type User, useInviteAgain, useTeam } from './team.ts';
import { UserActions } from './user-actions.tsx';

/** Settings → Team. */
export function TeamPage() {
  const team = useTeam();
  const { data: me } = useMe();
  const { mayWrite } = usePermission('settings');
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<User>();
  const again = useInviteAgain();
  const inviteAgain = ({ id }: User) =>
    again.mutate(id, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't create a new link", message: error.message }),
    });

  const choices = useRoleChoices();
  const roleName = (role: Role) => (role === 'owner' ? 'Owner' : (choices.find(({ value }) => value === role)?.label ?? role));

  const columns: readonly Column<User>[] = [
    {
      name: 'Name',
      width: 'minmax(0, 2fr)',
      cell: ({ id, name, email }) => (
        <>
          {name} {id === me?.id && '(you)'}
          {email && <span className={rowClasses.under}>{email}</span>}
        </>
      ),
    },
    { name: 'Role', width: '140px', cell: ({ role }) => roleName(role) },
    {
      name: 'Status',
      width: '170px',
      wideOnly: true,
      cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'warn'}>{status === 'active' ? 'Active' : 'Invited'}</Status>,
    },
    {
      name: 'Last sign-in',
      width: '150px',
      wideOnly: true,
      cell: ({ last_signed_in_at }) => (last_signed_in_at ? <RelativeTime at={last_signed_in_at} /> : 'Never'),
    },
    {
      name: 'Actions',
      width: '112px',
      alignEnd: true,
      cell: (user) => mayWrite && <UserActions user={user} isMe={user.id === me?.id} onRemove={setRemoving} onInviteAgain={inviteAgain} />,
    },
  ];

  return (
    <ListPage
      title="Team"
      describes="Users of this dashboard and their roles."
      action={
        mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
      of="users"
      list={team}
      columns={columns}
      empty={null}
    >
      <InviteUser opened={isInviting} again={again} onClose={() => setInviting(false)} />
      <RemoveUser user={removing} onClose={() => setRemoving(undefined)} />
    </ListPage>
  );
}
