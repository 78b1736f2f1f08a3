import { RotateForm } from '../secrets/rotate-form.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { useRotateWebhookSecret } from './webhooks.ts';

/** Creates a new secret; requests are signed with the old one as well for the chosen time. */
export function RotateWebhookSecret({ id, opened, onClose }: { id: string; opened: boolean; onClose: () => void }) {
  const rotation = useRotateWebhookSecret(id);
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="Rotate the signing secret?"
      shownTitle="Store the signing secret"
      creation={rotation}
      shown={(rotated, onStored) => <WebhookSecret webhook={rotated} onStored={onStored} />}
    >
      {(close) => (
        <RotateForm of="secret" rotation={rotation} onRotate={(graceSeconds) => rotation.mutate(graceSeconds)} onCancel={close}>
          The webhook gets a new secret. Until the old one stops working, requests are signed with both.
        </RotateForm>
      )}
    </SecretDialog>
  );
}
