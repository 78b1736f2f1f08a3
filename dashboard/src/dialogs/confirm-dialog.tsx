import { Button, Group, getDefaultZIndex, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Explains what happens on confirmation. */
  children: ReactNode;
  confirm: string;
  keep?: string;
  isHarmless?: boolean;
  isPending: boolean;
  isDisabled?: boolean;
  error: Error | null;
  failed: string;
  zIndex?: number;
  onConfirm: () => void;
};

/** A confirmation dialog. The safe button has the focus. */
export function ConfirmDialog({ opened, onClose, title, children, error, failed, isPending, onConfirm, ...words }: Props) {
  const { confirm, keep = 'Cancel', isHarmless = false, isDisabled = false, zIndex = getDefaultZIndex('modal') } = words;
  const close = () => {
    if (!isPending) onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} zIndex={zIndex} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        {children}
        {error && <ErrorAlert error={error} title={failed} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
            {keep}
          </Button>
          <Button {...(!isHarmless && { color: 'red' })} loading={isPending} disabled={isDisabled} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
