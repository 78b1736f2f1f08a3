import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { permissions } from '../api-keys/permissions.ts';
import { ScopesField } from '../api-keys/scopes-field.tsx';
import { ChoiceField } from '../form/choice-field.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type NewOauthClient, useCreateOauthClient } from './oauth-clients.ts';

/** Asks for the settings of a client, then shows its secret once. */
export function CreateOauthClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const creation = useCreateOauthClient();
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      title="New client"
      shownTitle="Store the secret"
      creation={creation}
      shown={(created, onStored) => <ClientSecret client={created} onStored={onStored} />}
    >
      {(close) => <NewClientForm saving={creation} onSubmit={creation.mutate} onCancel={close} />}
    </SecretDialog>
  );
}

type Values = Pick<NewOauthClient, 'name' | 'permission'> & {
  scopes: NonNullable<NewOauthClient['scopes']> | null;
  redirectUris: string;
  isPublic: boolean;
};

const linesOf = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);

type Props = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (wanted: NewOauthClient) => void;
  onCancel: () => void;
};

function NewClientForm({ saving, onSubmit, onCancel }: Props) {
  const form = useForm<Values>({
    initialValues: { name: '', permission: 'read_only', scopes: null, redirectUris: '', isPublic: false },
    validate: { name: required('Give the client a name.') },
  });
  return (
    <Form
      form={form}
      saving={saving}
      onSubmit={({ scopes, redirectUris, isPublic, ...wanted }) =>
        onSubmit({ ...wanted, ...(scopes && { scopes }), redirect_uris: linesOf(redirectUris), confidential: !isPublic })
      }
    >
      <Stack gap="lg">
        <TextInput
          data-autofocus
          label="Name"
          description="The app that will use this client."
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <ChoiceField label="Permission" choices={permissions} {...form.getInputProps('permission')} />
        <ScopesField {...form.getInputProps('scopes')} />
        <Textarea
          label="Redirect URIs"
          description="Only if users connect the app to their accounts: where they return to, one address per line."
          placeholder="https://app.example.com/callback"
          autosize
          minRows={1}
          {...form.getInputProps('redirectUris')}
        />
        {linesOf(form.values.redirectUris).length > 0 && (
          <Checkbox
            label="The app cannot keep a secret"
            description="It runs on a device, and proves itself by PKCE alone."
            {...form.getInputProps('isPublic', { type: 'checkbox' })}
          />
        )}
        <FormActions submit="Create client" failed="Couldn't create the client" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
