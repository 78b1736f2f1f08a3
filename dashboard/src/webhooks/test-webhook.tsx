import { Alert, Button, Code, Group, Modal, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type EventName, useEventTypes, useTestWebhook } from './webhooks.ts';

/** Sends a test event of a chosen type and shows how the receiver responded. */
export function TestWebhook({ id, opened, onClose }: { id: string; opened: boolean; onClose: () => void }) {
  const { data: catalogue } = useEventTypes();
  const { mutate, data: delivery, isPending, error, reset } = useTestWebhook(id);
  const [type, setType] = useState<EventName>('contact.created');
  const names = catalogue?.items.map((one) => one.type) ?? [type];
  const attempt = delivery?.attempts.at(-1);
  const close = () => {
    if (isPending) return;
    reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Send a test event" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <NativeSelect
          label="Event"
          description="Sends an example, signed and marked as a test."
          data={names}
          value={type}
          onChange={(event) => setType(names.find((name) => name === event.currentTarget.value) ?? type)}
          data-autofocus
        />
        {error && <ErrorAlert error={error} title="Couldn't send the test event" />}
        {attempt && (
          <Alert
            color={attempt.error === null ? 'green' : 'red'}
            variant="light"
            title={attempt.error ?? `Responded with ${attempt.status_code} in ${attempt.duration_ms} ms.`}
            role="status"
          >
            {attempt.response && <Code block>{attempt.response}</Code>}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} disabled={isPending}>
            Close
          </Button>
          <Button loading={isPending} onClick={() => mutate(type)}>
            Send test event
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
