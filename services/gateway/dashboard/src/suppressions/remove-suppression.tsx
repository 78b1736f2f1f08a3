import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Confirm } from '../shell/confirm.tsx';
import { type Suppression, suppressed, useRemoveSuppression } from './suppressions.ts';

export function RemoveSuppression({ suppression }: { suppression: Suppression }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { mutate, isPending, error, reset } = useRemoveSuppression(suppression);
  const who = suppressed(suppression);
  const lift = () =>
    mutate(undefined, {
      onSuccess: () => {
        close();
        notifications.show({ message: `${who} may be written to again.` });
      },
    });
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Lift the suppression of ${who}`} onClick={open}>
        Lift
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          reset();
          close();
        }}
        title="Lift this suppression?"
        confirm="Lift suppression"
        isPending={isPending}
        error={error}
        failed="The suppression was not lifted"
        onConfirm={lift}
      >
        <Text size="sm">
          <strong>{who}</strong> may be written to again, as far as the consent of its contacts allows.
        </Text>
      </Confirm>
    </>
  );
}
