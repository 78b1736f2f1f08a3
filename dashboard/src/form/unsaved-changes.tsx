import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';

/**
 * Asks before edits are lost: on every link, on Back, and when the tab is closed or reloaded. A form that has saved
 * leaves with `navigate({ …, ignoreBlocker: true })`. Going to the sign-in page is never blocked: without a session nothing can be saved.
 */
export function UnsavedChanges({ when }: { when: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && next.pathname !== '/sign-in',
    enableBeforeUnload: when,
    disabled: !when,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Discard unsaved changes?"
      confirm="Discard changes"
      keep="Keep editing"
      failed="Couldn't leave the page"
      isPending={false}
      error={null}
      onConfirm={() => proceed?.()}
    >
      <Text size="sm">You have changes that are not saved. If you leave this page, they are lost.</Text>
    </ConfirmDialog>
  );
}
