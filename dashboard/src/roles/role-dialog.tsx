import { Checkbox, Stack, TagsInput, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Scope } from '@marketing-platform/sdk';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { type Role, type SendingLimits, useSaveRole } from './roles.ts';
import { isScope, scopeAreas } from './scopes.ts';

type Values = { name: string; description: string; scopes: Scope[]; topics: string[]; senders: string[] };

/** An empty list is not a limit. */
const limitsOf = ({ topics, senders }: Pick<Values, 'topics' | 'senders'>): SendingLimits => ({
  topics: topics.length === 0 ? null : topics,
  senders: senders.length === 0 ? null : senders,
});

/** Creates or changes a role. `undefined`: closed. */
export const RoleDialog = ({ role, onClose }: { role: Role | 'new' | undefined; onClose: () => void }) => (
  <FormDialog opened={role !== undefined} onClose={onClose} title={role === 'new' ? 'Create a role' : 'Change the role'}>
    {role && <RoleForm role={role === 'new' ? undefined : role} onDone={onClose} />}
  </FormDialog>
);

function RoleForm({ role, onDone }: { role: Role | undefined; onDone: () => void }) {
  const save = useSaveRole(role?.id);
  const form = useForm<Values>({
    initialValues: {
      ...{ name: role?.name ?? '', description: role?.description ?? '', scopes: role?.scopes ?? [] },
      ...{ topics: role?.sending_limits?.topics ?? [], senders: role?.sending_limits?.senders ?? [] },
    },
    validate: {
      name: required('Enter a name.'),
      scopes: (scopes) => (scopes.length === 0 ? 'Choose what users with this role may do.' : null),
    },
  });
  return (
    <Form
      form={form}
      saving={save}
      onSubmit={({ topics, senders, ...values }) =>
        save.mutate({ ...values, sending_limits: limitsOf({ topics, senders }) }, { onSuccess: onDone })
      }
    >
      <Stack gap="md">
        <TextInput label="Name" data-autofocus autoComplete="off" {...form.getInputProps('name')} />
        <TextInput label="Description" autoComplete="off" {...form.getInputProps('description')} />
        <Checkbox.Group
          label="What users with this role may do"
          description="You can choose only what you may do yourself."
          value={form.values.scopes}
          onChange={(names) => form.setFieldValue('scopes', names.filter(isScope))}
          error={form.errors.scopes}
        >
          <Stack gap="md" mt="xs">
            {scopeAreas.map(({ area, scopes }) => (
              <section key={area} aria-label={area}>
                <Title order={3} size="h6" mb={6}>
                  {area}
                </Title>
                <Stack gap="xs">
                  {scopes.map(({ scope, name, means }) => (
                    <Checkbox key={scope} value={scope} label={name} description={means} />
                  ))}
                </Stack>
              </section>
            ))}
          </Stack>
        </Checkbox.Group>
        <TagsInput
          label="Only these topics"
          description="The topics that the emails of these users must have. Empty: any topic, and none."
          {...form.getInputProps('topics')}
        />
        <TagsInput
          label="Only these senders"
          description="Addresses, or domains such as @news.example.com. Empty: any."
          {...form.getInputProps('senders')}
        />
        <FormActions submit={role ? 'Save' : 'Create role'} failed="Couldn't save the role" cancel={onDone} />
      </Stack>
    </Form>
  );
}
