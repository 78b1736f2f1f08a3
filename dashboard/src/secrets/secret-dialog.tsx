import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  opened: boolean;
  onClose: () => void;
  /** What the dialog is called before and after the secret exists. */
  title: string;
  shownTitle: string;
  /** The request that creates the secret is running. */
  isPending: boolean;
  /** What shows the secret, once it exists. */
  shown: ReactNode;
  size?: 'md' | 'lg';
  children: ReactNode;
};

/**
 * A dialog that creates a secret and shows it once. From the moment the request leaves until the user confirms that the
 * secret is stored, nothing closes it: not Escape, not going back, not closing the tab. Otherwise a secret that nobody
 * has seen would be in force.
 */
export function SecretDialog({ opened, onClose, title, shownTitle, isPending, shown, size = 'lg', children }: Props) {
  const isShown = Boolean(shown);
  const isLocked = isPending || isShown;
  const queries = useQueryClient();
  // Asks the client itself: between the request and the next rendering, `isPending` is not true yet.
  const mustStay = () => isLocked || queries.isMutating() > 0;
  useBlocker({ shouldBlockFn: mustStay, enableBeforeUnload: mustStay, disabled: !opened && !isLocked });

  return (
    <Modal
      opened={opened || isLocked}
      onClose={() => {
        if (!mustStay()) onClose();
      }}
      size={size}
      title={isShown ? shownTitle : title}
      closeOnEscape={!isLocked}
      closeOnClickOutside={false}
      withCloseButton={!isLocked}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isShown ? shown : children}
    </Modal>
  );
}
