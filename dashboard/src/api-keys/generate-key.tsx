import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { useGenerateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';
import { NewKeyForm } from './new-key-form.tsx';

/** Generate New Key: asks for the settings, then shows the key once. */
export function GenerateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { mutate, data: generated, isPending, error, reset } = useGenerateApiKey();
  const close = () => {
    reset();
    onClose();
  };

  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title="Generate New Key"
      shownTitle="Store your new key"
      isPending={isPending}
      shown={generated && <GeneratedKey apiKey={generated} onStored={close} />}
    >
      <NewKeyForm isPending={isPending} error={error} onSubmit={mutate} onCancel={close} />
    </SecretDialog>
  );
}
