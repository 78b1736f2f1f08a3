import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { bodyOfDraft, draftOf, problemsOf } from './webhook-draft.ts';
import { shownFields, WebhookFields } from './webhook-fields.tsx';
import { useChangeWebhook, type Webhook } from './webhooks.ts';

/** Changes the settings of a webhook. Another change in the meantime is not overwritten. */
export function EditWebhook({ webhook, opened, onClose }: { webhook: Webhook; opened: boolean; onClose: () => void }) {
  return (
    <FormDialog opened={opened} onClose={onClose} title="Edit webhook">
      <EditForm webhook={webhook} onClose={onClose} />
    </FormDialog>
  );
}

/** Begins with the webhook as it is when the dialog opens. */
function EditForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [{ revision, header_names }] = useState(webhook);
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const { mutate, isPending, error } = useChangeWebhook(webhook.id, revision);
  const hasProblem = Object.keys(problemsOf(draft)).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending || hasProblem) return;
    mutate(bodyOfDraft(draft), {
      onSuccess: () => {
        notifications.show({ message: 'The webhook was saved.' });
        onClose();
      },
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <WebhookFields draft={draft} onChange={setDraft} error={error} headerNames={header_names} />
        {error && <ErrorAlert error={error} title="Couldn't save the webhook" shownElsewhere={shownFields} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
