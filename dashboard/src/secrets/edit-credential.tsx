import { Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';

type Credential = { id: string; name: string; ip_allow: readonly string[] };
type Change = { id: string; name: string; ip_allow: string[] };
/** The mutation that saves the change. */
type Saving = {
  mutate: (change: Change, options: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: Error | null;
  reset: () => void;
};

type Props = { credential: Credential | undefined; title: string; failed: string; saving: Saving; onClose: () => void };

/** Edits the name and allowed IP addresses of a key or client. `undefined`: closed. */
export function EditCredential({ credential, title, failed, saving, onClose }: Props) {
  const close = () => {
    if (saving.isPending) return;
    saving.reset();
    onClose();
  };
  return (
    <FormDialog opened={credential !== undefined} onClose={close} title={title}>
      {credential && <Fields key={credential.id} credential={credential} failed={failed} saving={saving} onClose={close} />}
    </FormDialog>
  );
}

type FieldsProps = Omit<Props, 'credential' | 'title'> & { credential: Credential };

function Fields({ credential: { id, name, ip_allow }, failed, saving, onClose }: FieldsProps) {
  const form = useForm({
    initialValues: { name, ip_allow: [...ip_allow] },
    validate: { name: required('Enter a name.') },
  });
  return (
    <Form form={form} saving={saving} onSubmit={(values) => saving.mutate({ id, ...values }, { onSuccess: onClose })}>
      <Stack gap="md">
        <TextInput data-autofocus label="Name" autoComplete="off" {...form.getInputProps('name')} />
        <TagsInput
          label="Allowed IP addresses"
          description="Addresses or ranges such as 192.0.2.0/24. Press Enter after each. Leave empty to allow all."
          acceptValueOnBlur
          {...form.getInputProps('ip_allow')}
        />
        <FormActions submit="Save" failed={failed} cancel={onClose} />
      </Stack>
    </Form>
  );
}
