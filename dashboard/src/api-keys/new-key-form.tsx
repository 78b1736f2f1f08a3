import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ChoiceField } from '../form/choice-field.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { dayOf } from '../time/zone.ts';
import type { NewApiKey } from './api-keys.ts';
import { expiryOf, lifetimes } from './expiry.ts';
import classes from './new-key-form.module.css';
import { permissions } from './permissions.ts';
import { ScopesField } from './scopes-field.tsx';

type Values = Pick<NewApiKey, 'name' | 'permission'> & { scopes: NonNullable<NewApiKey['scopes']> | null; lifetime: string; day: string };

type Props = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (wanted: NewApiKey) => void;
  onCancel: () => void;
};

export function NewKeyForm({ saving, onSubmit, onCancel }: Props) {
  const form = useForm<Values>({
    initialValues: { name: '', permission: 'read_only', scopes: null, lifetime: 'never', day: '' },
    validate: {
      name: required('Give the key a name.'),
      day: (day, { lifetime }) => (lifetime === 'date' && day === '' ? 'Choose a date.' : null),
    },
  });
  const hasDay = form.values.lifetime === 'date';
  const submit = ({ name, permission, scopes, lifetime, day }: Values) => {
    const expires_at = expiryOf(lifetime, day, Date.now());
    onSubmit({ name, permission, ...(scopes && { scopes }), ...(expires_at && { expires_at }) });
  };

  return (
    <Form form={form} saving={saving} paths={{ '/expires_at': hasDay ? 'day' : 'lifetime' }} onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          data-autofocus
          label="Name"
          description="The app that will use this key."
          placeholder="Website backend"
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <ChoiceField label="Permission" choices={permissions} {...form.getInputProps('permission')} />
        <ScopesField {...form.getInputProps('scopes')} />
        <div className={classes.expiry}>
          <NativeSelect label="Expires" data={lifetimes} {...form.getInputProps('lifetime')} />
          {hasDay && (
            <TextInput type="date" label="Last day" required withAsterisk={false} min={dayOf(new Date())} {...form.getInputProps('day')} />
          )}
        </div>
        <FormActions submit="Generate key" failed="Couldn't generate the key" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
