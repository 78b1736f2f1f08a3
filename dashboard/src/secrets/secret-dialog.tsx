import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { DialogFormContext } from '../form/form-context.ts';

type Props<Secret> = {
  opened: boolean;
  onClose: () => void;
  /** The title before and after the secret exists. */
  title: string;
  shownTitle: string;
  /** The mutation that creates the secret. */
  creation: { data: Secret | undefined; isPending: boolean; reset: () => void };
  /** Shows the secret, once it exists. */
  shown: (secret: Secret, onStored: () => void) => ReactNode;
  size?: 'md' | 'lg';
  /** The form that creates the secret. */
  children: (close: () => void) => ReactNode;
};

/**
 * A dialog that creates a secret and shows it once. From the moment the request is sent until the user confirms that the
 * secret is stored, nothing closes it: not Escape, not Back, not closing the tab. Otherwise a secret would be valid that the
 * user has never seen.
 */
export function SecretDialog<Secret>({ opened, onClose, title, shownTitle, creation, shown, size = 'lg', children }: Props<Secret>) {
  const { data: secret, isPending, reset } = creation;
  const [isDirty, setDirty] = useState(false);
  const isLocked = isPending || secret !== undefined;
  const queries = useQueryClient();
  // Reads the query client: between the request and the next render, `isPending` is still false.
  const mustStay = () => isLocked || queries.isMutating() > 0;
  useBlocker({ shouldBlockFn: mustStay, enableBeforeUnload: mustStay, disabled: !opened && !isLocked });
  const close = () => {
    reset();
    onClose();
  };

  return (
    <Modal
      opened={opened || isLocked}
      onClose={() => {
        if (!mustStay()) close();
      }}
      onExitTransitionEnd={() => setDirty(false)}
      size={size}
      title={secret === undefined ? title : shownTitle}
      closeOnEscape={!isLocked && !isDirty}
      closeOnClickOutside={false}
      withCloseButton={!isLocked}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <DialogFormContext value={setDirty}>{secret === undefined ? children(close) : shown(secret, close)}</DialogFormContext>
    </Modal>
  );
}
