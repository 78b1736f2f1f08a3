import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const undoMs = 10_000;

/**
 * Says what was done, with a button that undoes it. `undo` may run after its page is gone: unless the page withdraws the offer
 * with the function that is returned, it depends on nothing there.
 */
export function notifyUndo(message: string, undo: () => Promise<void> | void): () => void {
  const id = notifications.show({
    autoClose: undoMs,
    message: (
      <Group gap="sm">
        {message}
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            void undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
  return () => notifications.hide(id);
}
