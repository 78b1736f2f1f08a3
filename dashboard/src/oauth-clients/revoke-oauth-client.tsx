import { Text } from '@mantine/core';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { type OauthClient, useRevokeOauthClient } from './oauth-clients.ts';

/** Confirms revoking a client. `undefined`: closed. */
export const RevokeOauthClient = ({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) => (
  <ConfirmItemDialog
    item={client}
    onClose={onClose}
    mutation={useRevokeOauthClient()}
    title="Revoke this client?"
    confirm="Revoke client"
    failed="Couldn't revoke the client"
    done="was revoked."
  >
    {({ name }) => (
      <Text size="sm">
        <strong>{name}</strong> and all its tokens stop working now. This can't be undone.
      </Text>
    )}
  </ConfirmItemDialog>
);
