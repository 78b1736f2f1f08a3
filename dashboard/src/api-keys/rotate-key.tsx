import { RotateForm } from '../secrets/rotate-form.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { type ApiKey, useRotateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';

/** Replaces a key: shows the new one once; the old one keeps working for the chosen time. `undefined`: closed. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const rotation = useRotateApiKey();
  return (
    <SecretDialog
      opened={apiKey !== undefined}
      onClose={onClose}
      title="Rotate this key?"
      shownTitle="Store your new key"
      creation={rotation}
      shown={(generated, onStored) => <GeneratedKey apiKey={generated} onStored={onStored} />}
    >
      {(close) =>
        apiKey && (
          <RotateForm of="key" rotation={rotation} onRotate={(graceSeconds) => rotation.mutate({ apiKey, graceSeconds })} onCancel={close}>
            <strong>{apiKey.name}</strong> gets a new key with the same permission. Switch your app to it while the old key still works.
          </RotateForm>
        )
      }
    </SecretDialog>
  );
}
