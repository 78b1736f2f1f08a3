import { Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { SecretOnRequest } from '../secrets/secret-on-request.tsx';
import { useWebhookSecret } from './account.ts';

/** The secret for verifying the signatures of workflow webhooks. */
export function WebhookSecretPanel() {
  const request = useWebhookSecret();
  return (
    <Panel title="Workflow webhooks">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every webhook request is signed in the <code>webhook-signature</code> header. Receivers verify it with this secret and any
          Standard Webhooks library. All workflows of the account use the same secret.
        </Text>
        {request.error && <ErrorAlert error={request.error} title="Couldn't load the secret" />}
        <SecretOnRequest label="Secret" noun="secret" value={request.data?.secret} request={request} />
      </Stack>
    </Panel>
  );
}
