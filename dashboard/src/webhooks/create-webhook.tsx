import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { type NewWebhook, useCreateWebhook } from './webhooks.ts';

/** Asks for the settings of a webhook, then shows its secret once. */
export function CreateWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const creation = useCreateWebhook();
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="New webhook"
      shownTitle="Store the signing secret"
      creation={creation}
      shown={(created, onStored) => <WebhookSecret webhook={created} onStored={onStored} />}
    >
      {(close) => <NewWebhookForm saving={creation} onSubmit={creation.mutate} onCancel={close} />}
    </SecretDialog>
  );
}

type Props = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (wanted: NewWebhook) => void;
  onCancel: () => void;
};

function NewWebhookForm({ saving, onSubmit, onCancel }: Props) {
  const form = useForm({
    initialValues: { url: '', description: '', events: Array.of<string>() },
    validate: {
      url: required('Enter the URL that receives the events.'),
      events: (events) => (events.length === 0 ? 'Choose at least one event.' : null),
    },
  });
  return (
    <Form
      form={form}
      saving={saving}
      onSubmit={({ url, events, description }) => onSubmit({ url, events, ...(description.trim() !== '' && { description }) })}
    >
      <Stack gap="lg">
        <TextInput
          data-autofocus
          type="url"
          label="URL"
          description="Where events are sent: a public https:// address."
          placeholder="https://example.com/webhooks"
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        <TextInput
          label="Description"
          description="Optional: the app that receives the events."
          autoComplete="off"
          {...form.getInputProps('description')}
        />
        <EventPicker {...form.getInputProps('events')} />
        <FormActions submit="Create webhook" failed="Couldn't create the webhook" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
