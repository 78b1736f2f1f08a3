import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RoleDialog } from './role-dialog.tsx';
import { type Role, useDeleteRole, useRoles } from './roles.ts';
import { scopeAreas } from './scopes.ts';

/** Settings → Roles. */
export function RolesPage() {
  const query = useRoles();
  const { mayWrite } = usePermission('settings');
  const [edited, setEdited] = useState<Role | 'new'>();
  const [deleted, setDeleted] = useState<Role>();
  return (
    <Page
      title="Roles"
      describes="A role says what a user may do. Everyone in the team has one."
      action={
        mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
            Create a role
          </Button>
        )
      }
    >
      <Stack gap="lg" maw={760}>
        <Loaded of="the roles" query={query}>
          {(roles) => (
            <>
              <Panel title="Your roles">
                <Stack gap="lg">
                  {roles.every((role) => role.built_in) && (
                    <Text size="sm" c="dimmed">
                      Create a role if the built-in ones allow too much, such as one for authors who must not send.
                    </Text>
                  )}
                  {roles
                    .filter((role) => !role.built_in)
                    .map((role) => (
                      <RoleSection key={role.id} role={role} onEdit={mayWrite && setEdited} onDelete={mayWrite && setDeleted} />
                    ))}
                </Stack>
              </Panel>
              <Panel title="Built-in roles">
                <Stack gap="lg">
                  {roles
                    .filter((role) => role.built_in)
                    .map((role) => (
                      <RoleSection key={role.id} role={role} onEdit={false} onDelete={false} />
                    ))}
                </Stack>
              </Panel>
            </>
          )}
        </Loaded>
      </Stack>
      <RoleDialog role={edited} onClose={() => setEdited(undefined)} />
      <ConfirmItemDialog
        item={deleted}
        onClose={() => setDeleted(undefined)}
        mutation={useDeleteRole()}
        title="Delete this role?"
        confirm="Delete role"
        failed="Couldn't delete the role"
        done="was deleted."
      >
        {({ name }) => `No user can be given the role ${name} any more.`}
      </ConfirmItemDialog>
    </Page>
  );
}

type Props = { role: Role; onEdit: false | ((role: Role) => void); onDelete: false | ((role: Role) => void) };

const RoleSection = ({ role, onEdit, onDelete }: Props) => (
  <section aria-label={role.name}>
    <Group justify="space-between" gap="sm">
      <Title order={3} size="h6">
        {role.name}
      </Title>
      <Group gap="xs">
        {onEdit && (
          <Button size="xs" variant="default" aria-label={`Change ${role.name}`} onClick={() => onEdit(role)}>
            Change
          </Button>
        )}
        {onDelete && (
          <Button size="xs" variant="subtle" color="red" aria-label={`Delete ${role.name}`} onClick={() => onDelete(role)}>
            Delete
          </Button>
        )}
      </Group>
    </Group>
    {role.description && <Text size="sm">{role.description}</Text>}
    <Text size="sm" c="dimmed">
      {summary(role)}
    </Text>
    {role.sending_limits && <Text size="sm">Sends only {limitsText(role.sending_limits)}.</Text>}
  </section>
);

/** What a role may send, such as "emails about news from @example.com". */
const limitsText = ({ topics, senders }: NonNullable<Role['sending_limits']>) =>
  ['emails', topics && `about ${topics.join(' or ')}`, senders && `from ${senders.join(' or ')}`].filter(Boolean).join(' ');

/** What the role allows, by the names of its scopes. */
const summary = ({ scopes }: Role) => {
  const names = scopeAreas.flatMap((area) => area.scopes.filter(({ scope }) => scopes.includes(scope)).map(({ name }) => name));
  return names.join(' · ');
};
