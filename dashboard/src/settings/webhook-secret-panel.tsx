import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CopyButton } from '../clipboard/copy-button.tsx';
import { Panel } from '../shell/panel.tsx';
import { useWebhookSecret } from './account.ts';

/** What receivers of workflows' webhooks check a signature with; only shown to who asks for it. */
export function WebhookSecretPanel() {
  const { mutate, data, error, isPending, reset } = useWebhookSecret();
  return (
    <Panel title="Webhooks of workflows">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Every call is signed in <code>webhook-signature</code>. Whoever receives it checks that with this secret and any library for
          Standard Webhooks; it is the same for all workflows of the account.
        </Text>
        {error && <ErrorAlert error={error} title="The secret could not be read" />}
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
              Show the secret
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}
