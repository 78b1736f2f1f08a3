import { Modal } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { DialogFormContext } from './form-context.ts';
import { UnsavedChanges } from './unsaved-changes.tsx';

type Props = { opened: boolean; onClose: () => void; title: string; children: ReactNode };

/**
 * A dialog with a form. Once the user has changed a field, only its buttons close it: Escape and clicks outside would lose
 * the edits. Leaving the page asks first. While it saves, nothing closes it.
 */
export function FormDialog({ opened, onClose, title, children }: Props) {
  const [isDirty, setDirty] = useState(false);
  const isSaving = useIsMutating() > 0;
  const isKept = isDirty || isSaving;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setDirty(false)}
      title={title}
      closeOnEscape={!isKept}
      closeOnClickOutside={!isKept}
      withCloseButton={!isSaving}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <UnsavedChanges when={opened && isDirty} />
      <DialogFormContext value={setDirty}>{children}</DialogFormContext>
    </Modal>
  );
}
