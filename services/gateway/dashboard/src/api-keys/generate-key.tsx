import { Modal } from '@mantine/core';
import { useState } from 'react';
import type { GeneratedApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';
import { NewKeyForm } from './new-key-form.tsx';

/** Generate New Key: first what it shall be, then its text. The second step is left by its own button only. */
export function GenerateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [generated, setGenerated] = useState<GeneratedApiKey>();
  const close = () => {
    onClose();
    setGenerated(undefined);
  };

  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={generated ? 'Store your new key' : 'Generate New Key'}
      closeOnEscape={!generated}
      closeOnClickOutside={false}
      withCloseButton={!generated}
      closeButtonProps={{ 'aria-label': 'Cancel' }}
    >
      {generated ? <GeneratedKey apiKey={generated} onStored={close} /> : <NewKeyForm onGenerated={setGenerated} onCancel={close} />}
    </Modal>
  );
}
