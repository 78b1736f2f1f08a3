import { Text } from '@mantine/core';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Suppression, suppressed, useRemoveSuppression } from './suppressions.ts';

export function RemoveSuppression({ suppression }: { suppression: Suppression }) {
  const removal = useRemoveSuppression(suppression);
  const who = suppressed(suppression);
  return (
    <ConfirmButton
      label="Remove"
      description={`Remove the suppression of ${who}`}
      title="Remove this suppression?"
      confirm="Remove suppression"
      failed="Couldn't remove the suppression"
      mutation={removal}
      onConfirm={(options) => removal.mutate(undefined, options)}
      done={`${who} can be emailed again.`}
    >
      <Text size="sm">
        <strong>{who}</strong> can be emailed again, if the contact's consent allows it.
      </Text>
    </ConfirmButton>
  );
}
