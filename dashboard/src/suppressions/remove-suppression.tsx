import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmButton } from '../shell/confirm-button.tsx';
import { type Suppression, suppressed, useRemoveSuppression } from './suppressions.ts';

export function RemoveSuppression({ suppression }: { suppression: Suppression }) {
  const removal = useRemoveSuppression(suppression);
  const who = suppressed(suppression);
  const lift = (close: () => void) =>
    removal.mutate(undefined, {
      onSuccess: () => {
        close();
        notifications.show({ message: `${who} may be written to again.` });
      },
    });
  return (
    <ConfirmButton
      label="Lift"
      description={`Lift the suppression of ${who}`}
      title="Lift this suppression?"
      confirm="Lift suppression"
      failed="Couldn't lift the suppression"
      mutation={removal}
      onConfirm={lift}
    >
      <Text size="sm">
        <strong>{who}</strong> may be written to again, as far as the consent of its contacts allows.
      </Text>
    </ConfirmButton>
  );
}
