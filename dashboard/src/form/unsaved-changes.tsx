import { getDefaultZIndex, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId } from 'react';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';

/** The forms on the page with unsaved changes. */
const unsaved = new Set<string>();

/** Whether a form on the page has unsaved changes, for what leaves the page without a link. */
export const hasUnsavedChanges = () => unsaved.size > 0;

type Props = {
  when: boolean;
  /** Saves the edits; resolves to whether they are all saved, so that nothing has to be asked. */
  onLeave?: () => Promise<boolean>;
  onDiscard?: () => void;
};

/**
 * Asks before edits are lost: on every link, on Back, and when the tab is closed or reloaded. A form that has saved
 * leaves with `navigate({ …, ignoreBlocker: true })`. Going to the sign-in page is never blocked: without a session nothing can be saved.
 */
export function UnsavedChanges({ when, onLeave, onDiscard }: Props) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && next.pathname !== '/sign-in' && !(await onLeave?.()),
    enableBeforeUnload: when,
    disabled: !when,
    withResolver: true,
  });
  const id = useId();
  useEffect(() => {
    if (!when) return;
    unsaved.add(id);
    return () => void unsaved.delete(id);
  }, [when, id]);
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Discard unsaved changes?"
      confirm="Discard changes"
      keep="Keep editing"
      // Back can be pressed while a dialog of the page is open.
      zIndex={getDefaultZIndex('overlay')}
      failed="Couldn't leave the page"
      isPending={false}
      error={null}
      onConfirm={() => {
        onDiscard?.();
        proceed?.();
      }}
    >
      <Text size="sm">You have unsaved changes. If you leave this page, they will be lost.</Text>
    </ConfirmDialog>
  );
}
