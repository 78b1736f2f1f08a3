import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { Facts } from '../shell/panel.tsx';
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
  const [who, setWho] = useState('');
  const { mutate, data: other, isPending, error, reset } = useFindContact();
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (who.trim() !== '' && !isPending) mutate(who.trim());
  };

  if (other) return <MergeOther contact={contact} other={other} onBack={reset} onDone={onDone} />;
  return (
    <form onSubmit={find} noValidate>
      <Stack gap="md">
        <TextInput
          label="Contact to merge"
          description="Email or ID."
          data-autofocus
          autoComplete="off"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
          error={error?.message}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
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
      <Facts
        facts={{
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
