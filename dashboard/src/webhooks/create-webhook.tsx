import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { bodyOfDraft, emptyDraft, problemsOf } from './webhook-draft.ts';
import { shownFields, WebhookFields } from './webhook-fields.tsx';
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
  const [draft, setDraft] = useState(emptyDraft);
  const hasProblem = Object.keys(problemsOf(draft)).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending && !hasProblem) onSubmit(bodyOfDraft(draft));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <WebhookFields draft={draft} onChange={setDraft} error={error} />
        {error && <ErrorAlert error={error} title="Couldn't create the webhook" shownElsewhere={shownFields} />}
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
