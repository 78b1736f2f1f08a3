import { List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Grant, useDisconnect } from '../authorize/authorization.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';

/** What an application may have started that continues without it, by the scope that allows it. */
const started = [
  { scope: 'workflows:activate', text: 'Workflows that it activated keep running:', to: '/workflows', page: 'Workflows' },
  { scope: 'campaigns:send', text: 'Campaigns that it scheduled are sent:', to: '/campaigns', page: 'Campaigns' },
] as const;

/** Asks before an application is disconnected, and says what does not end with it. */
export function DisconnectDialog({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const { mutate, isPending, error } = useDisconnect();
  const continuing = started.filter(({ scope }) => grant.scopes.includes(scope));
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Disconnect ${grant.application}?`}
      confirm="Disconnect"
      failed="Couldn't disconnect the application"
      isPending={isPending}
      error={error}
      onConfirm={() => mutate(grant, { onSuccess: onClose })}
    >
      <Text size="sm">It loses access at once. What it has created belongs to your account and stays.</Text>
      {continuing.length > 0 && (
        <List size="sm" spacing="xs">
          {continuing.map(({ scope, text, to, page }) => (
            <List.Item key={scope}>
              {text} <Link to={to}>{page}</Link>
            </List.Item>
          ))}
        </List>
      )}
    </ConfirmDialog>
  );
}
