import { Text } from '@mantine/core';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { keyText } from './api-key-table.tsx';
import { type ApiKey, useRevokeApiKey } from './api-keys.ts';
import classes from './revoke-key.module.css';

/** Confirms revoking a key. `undefined`: closed. */
export const RevokeKey = ({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) => (
  <ConfirmItemDialog
    item={apiKey}
    onClose={onClose}
    mutation={useRevokeApiKey()}
    title="Revoke this key?"
    confirm="Revoke key"
    failed="Couldn't revoke the key"
    done="was revoked."
  >
    {(key) => (
      <>
        <div className={classes.key}>
          <Text fw={500} className={classes.name}>
            {key.name}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {keyText(key)}
          </Text>
        </div>
        <Text size="sm">Apps that use this key stop working now. This can't be undone.</Text>
      </>
    )}
  </ConfirmItemDialog>
);
