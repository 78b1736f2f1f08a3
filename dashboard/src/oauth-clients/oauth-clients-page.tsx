import { Button, Group } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { permissionName } from '../api-keys/permissions.ts';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import rowClasses from '../lists/row-link.module.css';
import { EmptyState } from '../page/empty-state.tsx';
import { Status } from '../page/status.tsx';
import { EditCredential } from '../secrets/edit-credential.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { CreateOauthClient } from './create-oauth-client.tsx';
import { type OauthClient, useChangeOauthClient, useOauthClients } from './oauth-clients.ts';
import { RevokeOauthClient } from './revoke-oauth-client.tsx';
import { RotateOauthClient } from './rotate-oauth-client.tsx';

/** Settings → OAuth clients. */
export function OauthClientsPage() {
  const clients = useOauthClients();
  const { may } = usePermission();
  const [isCreating, setCreating] = useState(false);
  const [changing, setChanging] = useState<OauthClient>();
  const change = useChangeOauthClient();
  const [rotating, setRotating] = useState<OauthClient>();
  const [revoking, setRevoking] = useState<OauthClient>();

  const columns: readonly Column<OauthClient>[] = [
    {
      name: 'Client',
      width: 'minmax(0, 2fr)',
      cell: ({ id, name }) => (
        <>
          {name}
          <span className={rowClasses.under}>{id}</span>
        </>
      ),
    },
    { name: 'Permission', width: '120px', wideOnly: true, cell: ({ permission }) => permissionName(permission) },
    { name: 'Secret', width: '90px', wideOnly: true, cell: ({ secrets }) => secrets.map(({ last4 }) => `…${last4}`).join(' ') },
    {
      name: 'Last used',
      width: '138px',
      wideOnly: true,
      cell: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : 'Never'),
    },
    {
      name: 'Status',
      width: '110px',
      wideOnly: true,
      cell: ({ status }) => <Status tone={status === 'active' ? 'good' : 'over'}>{status === 'active' ? 'Active' : 'Revoked'}</Status>,
    },
    {
      name: 'Actions',
      width: '224px',
      alignEnd: true,
      cell: (client) =>
        client.status === 'active' &&
        may('settings:keys') && (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <Button size="compact-sm" variant="subtle" aria-label={`Edit ${client.name}`} onClick={() => setChanging(client)}>
              Edit
            </Button>
            <Button size="compact-sm" variant="subtle" aria-label={`Rotate ${client.name}`} onClick={() => setRotating(client)}>
              Rotate
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" aria-label={`Revoke ${client.name}`} onClick={() => setRevoking(client)}>
              Revoke
            </Button>
          </Group>
        ),
    },
  ];

  return (
    <ListPage
      title="OAuth clients"
      describes="Apps that request short-lived access tokens instead of using an API key (OAuth 2.0 client credentials)."
      action={
        may('settings:keys') && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            New client
          </Button>
        )
      }
      of="clients"
      list={clients}
      columns={columns}
      empty={
        <EmptyState
          title="No OAuth clients yet"
          icon={IconPlugConnected}
          action={<Button onClick={() => setCreating(true)}>Create a client</Button>}
        >
          A client lets an app that requires OAuth 2.0 call the API. If yours doesn't, use an API key.
        </EmptyState>
      }
    >
      <CreateOauthClient opened={isCreating} onClose={() => setCreating(false)} />
      <EditCredential
        credential={changing}
        title="Edit client"
        failed="Couldn't update the client"
        saving={change}
        onClose={() => setChanging(undefined)}
      />
      <RotateOauthClient client={rotating} onClose={() => setRotating(undefined)} />
      <RevokeOauthClient client={revoking} onClose={() => setRevoking(undefined)} />
    </ListPage>
  );
}
