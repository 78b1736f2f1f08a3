import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { CopyButton } from '../clipboard/copy-button.tsx';
import { Panel } from '../shell/panel.tsx';
import { useWorkflowHook } from './workflows.ts';

/** The inbound URL of a workflow, shown on request because it is a secret. */
export function HookPanel({ id }: { id: string }) {
  const { mutate, data, error, isPending, reset } = useWorkflowHook(id);
  const url = data && `${window.location.origin}${data.path}`;
  return (
    <Panel title="Inbound URL">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Other systems start runs by a POST of JSON to this URL, without an API key. Keep it secret. To replace it, edit the trigger.
        </Text>
        {error && <ErrorAlert error={error} title="Couldn't load the URL" />}
        {url ? (
          <Group align="end" gap="sm">
            <TextInput
              readOnly
              label="URL"
              value={url}
              spellCheck={false}
              autoComplete="off"
              onFocus={(event) => event.currentTarget.select()}
              flex="1 1 260px"
            />
            <CopyButton text={url} label="Copy URL" />
            <Button variant="subtle" onClick={reset}>
              Hide
            </Button>
          </Group>
        ) : (
          <div>
            <Button variant="default" loading={isPending} onClick={() => mutate()}>
              Show URL
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}
