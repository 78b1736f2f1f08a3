import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { useGenerateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';
import { NewKeyForm } from './new-key-form.tsx';

/** Generate New Key: asks for the settings, then shows the key once. */
export function GenerateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const creation = useGenerateApiKey();
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="Generate New Key"
      shownTitle="Store your new key"
      creation={creation}
      shown={(generated, onStored) => <GeneratedKey apiKey={generated} onStored={onStored} />}
    >
      {(close) => <NewKeyForm saving={creation} onSubmit={creation.mutate} onCancel={close} />}
    </SecretDialog>
  );
}
