import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Suppression, suppressed, useRemoveSuppression } from './suppressions.ts';

export function RemoveSuppression({ suppression }: { suppression: Suppression }) {
  const removal = useRemoveSuppression(suppression);
  const who = suppressed(suppression);
  const lift = (close: () => void) =>
    removal.mutate(undefined, {
      onSuccess: () => {
        close();
        notifications.show({ message: `${who} can be emailed again.` });
      },
    });
  return (
    <ConfirmButton
      label="Remove"
      description={`Remove the suppression of ${who}`}
      title="Remove this suppression?"
      confirm="Remove suppression"
      failed="Couldn't remove the suppression"
      mutation={removal}
      onConfirm={lift}
    >
      <Text size="sm">
        <strong>{who}</strong> can be emailed again, if the contact's consent allows it.
      </Text>
    </ConfirmButton>
  );
}
