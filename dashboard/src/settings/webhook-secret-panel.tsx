import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CopyButton } from '../clipboard/copy-button.tsx';
import { Panel } from '../shell/panel.tsx';
import { useWebhookSecret } from './account.ts';

/** The secret for verifying the signatures of workflow webhooks, shown on request. */
export function WebhookSecretPanel() {
  const { mutate, data, error, isPending, reset } = useWebhookSecret();
  return (
    <Panel title="Workflow webhooks">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every webhook request is signed in the <code>webhook-signature</code> header. Receivers verify it with this secret and any
          Standard Webhooks library. All workflows of the account use the same secret.
        </Text>
        {error && <ErrorAlert error={error} title="Couldn't load the secret" />}
        {data ? (
          <Group align="end" gap="sm">
            <TextInput
              readOnly
              label="Secret"
              value={data.secret}
              spellCheck={false}
              autoComplete="off"
              onFocus={(event) => event.currentTarget.select()}
              flex="1 1 260px"
            />
            <CopyButton text={data.secret} label="Copy secret" />
            <Button variant="subtle" onClick={reset}>
              Hide
            </Button>
          </Group>
        ) : (
          <div>
            <Button variant="default" loading={isPending} onClick={() => mutate()}>
              Show secret
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}
