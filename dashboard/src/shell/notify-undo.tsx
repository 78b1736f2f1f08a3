import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const undoMs = 10_000;

/** Says what was done, with a button that undoes it. `undo` runs after its page is gone, so it depends on nothing there. */
export function notifyUndo(message: string, undo: () => Promise<void>) {
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
}
