import { Modal, type ModalProps } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { DialogFormContext } from './form-context.ts';
import { UnsavedChanges } from './unsaved-changes.tsx';

type Props = { opened: boolean; onClose: () => void; title: string; isFullScreen?: boolean; children: ReactNode };

const fullScreen: Pick<ModalProps, 'fullScreen' | 'transitionProps' | 'styles'> = {
  fullScreen: true,
  // A transition that transforms the dialog would displace menus that are positioned in the window.
  transitionProps: { transition: 'fade', duration: 120 },
  // A toolbar in the dialog stays at the top instead.
  styles: { header: { position: 'static' } },
};

/**
 * A dialog with a form. Once the user has changed a field, only its buttons close it: Escape and clicks outside would lose
 * the edits. Leaving the page asks first. While it saves, nothing closes it. Escape in a dialog or menu that was opened from a
 * full-screen one closes only that.
 */
export function FormDialog({ opened, onClose, title, isFullScreen = false, children }: Props) {
  const [isDirty, setDirty] = useState(false);
  const isSaving = useIsMutating() > 0;
  const isKept = isDirty || isSaving;
  return (
    <Modal
      {...(isFullScreen && fullScreen)}
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setDirty(false)}
      title={title}
      closeOnEscape={!isKept && !isFullScreen}
      onKeyDown={(event) => {
        if (isFullScreen && !isKept && isOwnEscape(event)) onClose();
      }}
      closeOnClickOutside={!isKept}
      withCloseButton={!isSaving}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <UnsavedChanges when={opened && isDirty} />
      <DialogFormContext value={setDirty}>{children}</DialogFormContext>
    </Modal>
  );
}

/** React also reports the keys of dialogs and menus that were opened from this one. Escape in an input with open options closes those. */
const isOwnEscape = ({ key, target, currentTarget, defaultPrevented }: KeyboardEvent<HTMLElement>) =>
  key === 'Escape' &&
  !defaultPrevented &&
  target instanceof Element &&
  currentTarget.contains(target) &&
  target.getAttribute('data-mantine-stop-propagation') !== 'true';
