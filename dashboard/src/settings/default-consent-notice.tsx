import { Alert, Button, Group, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { useChangeContactSettings, useContactSettings } from './account.ts';

/** Asks admins to choose the consent of contacts that are created over the API without one, until it is chosen. */
export function DefaultConsentNotice() {
  const { data: settings } = useContactSettings();
  const { mutate, isPending, variables, error } = useChangeContactSettings();
  if (!settings || settings.default_consent_chosen) return null;
  const choose = (default_consent: 'subscribed' | 'pending') => mutate({ default_consent });
  return (
    <Alert color="gray" title="Choose the default email consent">
      <Text size="sm" mb="sm">
        Apps can create contacts through the API without a consent status. Until you choose a default, these contacts are subscribed and
        receive your campaigns. The dashboard and imports always ask.
      </Text>
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          loading={isPending && variables?.default_consent === 'pending'}
          disabled={isPending}
          onClick={() => choose('pending')}
        >
          Pending until they confirm
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={isPending && variables?.default_consent === 'subscribed'}
          disabled={isPending}
          onClick={() => choose('subscribed')}
        >
          Subscribed
        </Button>
      </Group>
      {error && <ErrorAlert error={error} title="Couldn't save the default" />}
    </Alert>
  );
}
