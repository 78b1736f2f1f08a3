import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { bodyOfDraft, emptyDraft, validateDraft } from './webhook-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';
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
  const form = useForm({ initialValues: emptyDraft, validate: validateDraft });
  return (
    <Form form={form} saving={saving} onSubmit={(draft) => onSubmit(bodyOfDraft(draft))}>
      <WebhookFields form={form} />
      <FormActions submit="Create webhook" failed="Couldn't create the webhook" cancel={onCancel} />
    </Form>
  );
}
