import { RotateForm } from '../secrets/rotate-form.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type OauthClient, useRotateOauthClient } from './oauth-clients.ts';

/** Creates a new secret for a client; the old one keeps working for the chosen time. `undefined`: closed. */
export function RotateOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const rotation = useRotateOauthClient();
  return (
    <SecretDialog
      opened={client !== undefined}
      onClose={onClose}
      title="Rotate the secret?"
      shownTitle="Store the secret"
      creation={rotation}
      shown={(rotated, onStored) => <ClientSecret client={rotated} onStored={onStored} />}
    >
      {(close) =>
        client && (
          <RotateForm
            of="secret"
            rotation={rotation}
            onRotate={(graceSeconds) => rotation.mutate({ id: client.id, graceSeconds })}
            onCancel={close}
          >
            <strong>{client.name}</strong> gets a new secret. Its current tokens keep working.
          </RotateForm>
        )
      }
    </SecretDialog>
  );
}
