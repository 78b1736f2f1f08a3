import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  opened: boolean;
  onClose: () => void;
  /** The title before and after the secret exists. */
  title: string;
  shownTitle: string;
  /** Whether the request that creates the secret is in flight. */
  isPending: boolean;
  /** The content that shows the secret, once it exists. */
  shown: ReactNode;
  size?: 'md' | 'lg';
  children: ReactNode;
};

/**
 * A dialog that creates a secret and shows it once. From the moment the request leaves until the user confirms that the
 * secret is stored, nothing closes it: not Escape, not Back, not closing the tab. Otherwise a secret would be valid that the
 * user has never seen.
 */
export function SecretDialog({ opened, onClose, title, shownTitle, isPending, shown, size = 'lg', children }: Props) {
  const isShown = Boolean(shown);
  const isLocked = isPending || isShown;
  const queries = useQueryClient();
  // Reads the query client: between the request and the next render, `isPending` is still false.
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
