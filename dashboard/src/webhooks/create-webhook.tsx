import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError, nestedFieldError } from '../api/request-failed.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { type NewWebhook, useCreateWebhook } from './webhooks.ts';

/** Asks for the settings of a webhook, then shows its secret once. */
export function CreateWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { mutate, data: created, isPending, error, reset } = useCreateWebhook();
  const close = () => {
    reset();
    onClose();
  };
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title="New webhook"
      shownTitle="Store the signing secret"
      isPending={isPending}
      shown={created && <WebhookSecret webhook={created} onStored={close} />}
    >
      <NewWebhookForm isPending={isPending} error={error} onSubmit={mutate} onCancel={close} />
    </SecretDialog>
  );
}

type Props = { isPending: boolean; error: Error | null; onSubmit: (wanted: NewWebhook) => void; onCancel: () => void };

function NewWebhookForm({ isPending, error, onSubmit, onCancel }: Props) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit({ url, events, ...(description.trim() !== '' && { description }) });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          data-autofocus
          type="url"
          label="URL"
          description="Where events are sent: a public https:// address."
          placeholder="https://example.com/webhooks"
          autoComplete="off"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={fieldError(error, '/url')}
        />
        <TextInput
          label="Description"
          description="Optional: the app that receives the events."
          autoComplete="off"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={fieldError(error, '/description')}
        />
        <EventPicker events={events} onChange={setEvents} error={nestedFieldError(error, '/events')} />
        {error && <ErrorAlert error={error} title="Couldn't create the webhook" shownElsewhere={['/url', '/description', '/events']} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
