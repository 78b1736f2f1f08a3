import { getDefaultZIndex, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';

/** Asks before an import in progress is left: on every link, on Back, and when the tab is closed. */
export function LeaveImport({ when }: { when: boolean }) {
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
      title="Leave the import?"
      confirm="Leave"
      keep="Stay"
      zIndex={getDefaultZIndex('overlay')}
      isPending={false}
      error={null}
      failed="Couldn't leave the page"
      onConfirm={() => proceed?.()}
    >
      <Text size="sm">It stops where it is. Choose the same file again to resume it.</Text>
    </ConfirmDialog>
  );
}
