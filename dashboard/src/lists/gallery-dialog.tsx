import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** A button that opens a gallery to start from. */
export function GalleryDialog({ label, children }: { label: string; children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={label} size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
        {children}
      </Modal>
    </>
  );
}
