import { PasswordInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { roles } from '../roles/role-choices.ts';
import { type IdentityProvider, useChangeIdentityProvider, useCreateIdentityProvider } from './identity-providers.ts';
import { bodyOf, draftOf, newProvider, type ProviderDraft, wrongLine } from './provider-draft.ts';

type Props = { opened: boolean; onClose: () => void };

export const CreateProvider = ({ opened, onClose }: Props) => (
  <FormDialog opened={opened} onClose={onClose} title="New identity provider">
    <NewForm onDone={onClose} />
  </FormDialog>
);

/** `undefined`: closed. */
export const EditProvider = ({ provider, onClose }: { provider: IdentityProvider | undefined; onClose: () => void }) => (
  <FormDialog opened={provider !== undefined} onClose={onClose} title="Edit identity provider">
    {provider && <ChangeForm provider={provider} onDone={onClose} />}
  </FormDialog>
);

type Saving = { isPending: boolean; error: Error | null };

function NewForm({ onDone }: { onDone: () => void }) {
  const creation = useCreateIdentityProvider();
  const create = (draft: ProviderDraft) =>
    creation.mutate(
      { ...bodyOf(draft), client_secret: draft.client_secret },
      {
        onSuccess: ({ name }) => {
          onDone();
          notifications.show({ message: `${name} was created. Register its redirect URL with the provider.` });
        },
      },
    );
  return <ProviderForm initial={newProvider} isNew saving={creation} onSubmit={create} onCancel={onDone} />;
}

function ChangeForm({ provider, onDone }: { provider: IdentityProvider; onDone: () => void }) {
  const saving = useChangeIdentityProvider(provider.id);
  const save = (draft: ProviderDraft) =>
    saving.mutate(bodyOf(draft), {
      onSuccess: () => {
        onDone();
        notifications.show({ message: 'Saved.' });
      },
    });
  return <ProviderForm initial={draftOf(provider)} saving={saving} onSubmit={save} onCancel={onDone} />;
}

type FormProps = {
  initial: ProviderDraft;
  isNew?: boolean;
  saving: Saving;
  onSubmit: (draft: ProviderDraft) => void;
  onCancel: () => void;
};

function ProviderForm({ initial, isNew = false, saving, onSubmit, onCancel }: FormProps) {
  const form = useForm<ProviderDraft>({
    initialValues: initial,
    validate: {
      name: required('Give the provider a name.'),
      issuer: required('Enter the issuer, such as https://login.example.com.'),
      client_id: required('Enter the ID of the client.'),
      client_secret: (secret) => (isNew && secret === '' ? 'Enter the secret of the client.' : null),
      role_mapping: (text) => {
        const wrong = wrongLine(text);
        return wrong === undefined ? null : `“${wrong}” needs the form: value = viewer, editor or admin.`;
      },
    },
  });
  return (
    <Form form={form} saving={saving} onSubmit={onSubmit}>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label="Name"
          description="Shown on the sign-in page."
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Issuer"
          description={isNew ? 'The provider’s settings are read from this URL.' : 'To use another issuer, create another provider.'}
          placeholder="https://login.example.com"
          autoComplete="off"
          readOnly={!isNew}
          {...form.getInputProps('issuer')}
        />
        <TextInput label="Client ID" autoComplete="off" {...form.getInputProps('client_id')} />
        <PasswordInput
          label="Client secret"
          {...(!isNew && { description: 'Leave empty to keep the current one.' })}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret', tabIndex: 0 }}
          {...form.getInputProps('client_secret')}
        />
        <TextInput label="Scopes" description="Separated by spaces." autoComplete="off" {...form.getInputProps('scopes')} />
        <TextInput
          label="Only these email domains"
          description="Separated by commas. Leave empty for no restriction."
          autoComplete="off"
          {...form.getInputProps('email_domains')}
        />
        <Switch
          label="Create users at their first sign-in"
          description="Only people with a verified email address in a verified domain."
          {...form.getInputProps('just_in_time', { type: 'checkbox' })}
        />
        <Select
          label="Default role"
          description="For new users, and for users without a role from the claim."
          data={[...roles.map(({ value, label }) => ({ value, label })), { value: 'none', label: 'None: they cannot sign in' }]}
          allowDeselect={false}
          {...form.getInputProps('default_role')}
        />
        <TextInput
          label="Role claim"
          description="The claim with the role or the groups. Leave empty to set roles here."
          placeholder="groups"
          autoComplete="off"
          {...form.getInputProps('role_claim')}
        />
        {form.values.role_claim.trim() !== '' && (
          <Textarea
            label="Roles by value"
            description="One a line, such as: marketing = editor. The first that matches applies at each sign-in."
            rows={4}
            autoComplete="off"
            {...form.getInputProps('role_mapping')}
          />
        )}
        <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
        <FormActions submit={isNew ? 'Create provider' : 'Save'} failed="Couldn't save the provider" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
