import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../form/form.tsx';
import { FormError } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { showSaved } from '../form/show-saved.ts';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from './account.ts';

export function NamePanel({ account: { name } }: { account: { name: string } }) {
  const form = useForm({ initialValues: { name }, validate: { name: required('Enter a name.') } });
  const rename = useChangeAccount();
  const save = (values: { name: string }) => rename.mutate(values, { onSuccess: (renamed) => showSaved(form, { name: renamed.name }) });
  return (
    <Panel title="Name">
      <Form form={form} saving={rename} onSubmit={save}>
        <Group align="start" gap="sm">
          <TextInput aria-label="Account name" autoComplete="organization" flex="1 1 220px" maw={360} {...form.getInputProps('name')} />
          <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
            Rename
          </Button>
        </Group>
        <FormError title="Couldn't rename the account" />
      </Form>
    </Panel>
  );
}
