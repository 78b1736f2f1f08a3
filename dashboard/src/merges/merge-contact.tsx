import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { FormDialog } from '../form/form-dialog.tsx';
import { required } from '../form/required.ts';
import { DescriptionList } from '../page/description-list.tsx';
import { useFindContact, useMerge } from './merges.ts';

/** Merges another contact into this one: finds it, shows it, and explains the result before merging. */
export function MergeContact({ contact }: { contact: Contact }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Merge…
      </Button>
      <FormDialog opened={opened} onClose={close} title={`Merge into ${nameOf(contact)}`}>
        <FindOther contact={contact} onDone={close} />
      </FormDialog>
    </>
  );
}

function FindOther({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const form = useForm({ initialValues: { text: '' }, validate: { text: required('Enter an email address or a contact ID.') } });
  const lookup = useFindContact();
  const { data: other } = lookup;

  if (other) return <MergeOther contact={contact} other={other} onBack={lookup.reset} onDone={onDone} />;
  return (
    <Form form={form} saving={lookup} onSubmit={({ text }) => lookup.mutate(text.trim())}>
      <Stack gap="md">
        <TextInput label="Contact to merge" description="Email or ID." data-autofocus autoComplete="off" {...form.getInputProps('text')} />
        <FormActions submit="Continue" failed="Couldn't find the contact" cancel={onDone} />
      </Stack>
    </Form>
  );
}

type OtherProps = { contact: Contact; other: Contact; onBack: () => void; onDone: () => void };

function MergeOther({ contact, other, onBack, onDone }: OtherProps) {
  const { mutate, isPending, error } = useMerge(contact.id);
  const merge = () =>
    mutate(other, {
      onSuccess: () => {
        onDone();
        notifications.show({ message: `${nameOf(other)} was merged into ${nameOf(contact)}.` });
      },
    });
  return (
    <Stack gap="md">
      <DescriptionList
        items={{
          Name: [other.first_name, other.last_name].filter(Boolean).join(' '),
          Email: other.email,
          Phone: other.phone,
          'External ID': other.external_id,
          Company: other.company,
          ID: <code>{other.id}</code>,
        }}
      />
      <Text size="sm">
        <strong>{nameOf(contact)}</strong> keeps its data and takes missing fields from <strong>{nameOf(other)}</strong>; tags and
        attributes are combined. If either has unsubscribed, the merged contact is unsubscribed. You can undo the merge.
      </Text>
      {error && <ErrorAlert error={error} title="Couldn't merge the contacts" />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack} disabled={isPending}>
          Choose another contact
        </Button>
        <Button loading={isPending} onClick={merge} data-autofocus>
          Merge contacts
        </Button>
      </Group>
    </Stack>
  );
}
