import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { bodyOfDraft, comparableWebhook, draftOf, validateDraft } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { useChangeWebhook, useWebhook, type Webhook } from './webhooks.ts';

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
  const [{ id, header_names, ...opened }] = useState(webhook);
  const [revision, setRevision] = useState(opened.revision);
  const { refetch } = useWebhook(id);
  const form = useForm({ initialValues: draftOf(webhook), validate: validateDraft });
  const saving = useChangeWebhook(id, revision);
  const submit = (draft: typeof form.values) =>
    saving.mutate(bodyOfDraft(draft), {
      onSuccess: () => {
        notifications.show({ message: 'The webhook was saved.' });
        onClose();
      },
    });
  const current = async () => {
    const { data = webhook } = await refetch({ throwOnError: true });
    return { values: draftOf(data), revision: data.revision };
  };
  return (
    <Form
      form={form}
      saving={saving}
      draft={{ comparable: comparableWebhook, stored: { revision, onRevision: setRevision, current } }}
      onSubmit={submit}
    >
      <WebhookFields form={form} headerNames={header_names} />
      <FormActions submit="Save" failed="Couldn't save the webhook" cancel={onClose} />
    </Form>
  );
}
