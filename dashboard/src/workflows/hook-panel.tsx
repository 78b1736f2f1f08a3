import { Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Panel } from '../page/panel.tsx';
import { SecretOnRequest } from '../secrets/secret-on-request.tsx';
import { useWorkflowHook } from './workflows.ts';

/** The inbound URL of a workflow. Anyone who knows it can start runs, so it is a secret. */
export function HookPanel({ id }: { id: string }) {
  const request = useWorkflowHook(id);
  const url = request.data && `${window.location.origin}${request.data.path}`;
  return (
    <Panel title="Inbound URL">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Other systems start runs by sending JSON to this URL with POST, without an API key. Keep it secret. To replace it, edit the
          trigger.
        </Text>
        {request.error && <ErrorAlert error={request.error} title="Couldn't load the URL" />}
        <SecretOnRequest label="URL" noun="URL" value={url} request={request} />
      </Stack>
    </Panel>
  );
}
