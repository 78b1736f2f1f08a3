import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type Contact, nameOf } from '../contacts/contacts.ts';
import { Facts } from '../shell/panel.tsx';
import { useFindContact, useMerge } from './merges.ts';

/** Makes one of two contacts: asks for the other one, shows who it is, and says what becomes of both. */
export function MergeContact({ contact }: { contact: Contact }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Merge…
      </Button>
      <Modal opened={opened} onClose={close} title={`Merge into ${nameOf(contact)}`} closeButtonProps={{ 'aria-label': 'Close' }}>
        <FindOther contact={contact} onDone={close} />
      </Modal>
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
          label="The other contact"
          description="Its e-mail address or id."
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
            Go on
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
        notifications.show({ message: `${nameOf(other)} is merged into ${nameOf(contact)}.` });
      },
    });
  return (
    <Stack gap="md">
      <Facts
        facts={{
          Name: [other.first_name, other.last_name].filter(Boolean).join(' '),
          'E-mail': other.email,
          Phone: other.phone,
          'External id': other.external_id,
          Company: other.company,
          Id: <code>{other.id}</code>,
        }}
      />
      <Text size="sm">
        <strong>{nameOf(contact)}</strong> keeps what it has and takes what it lacks from <strong>{nameOf(other)}</strong>; tags and
        attributes are those of both, and whoever has unsubscribed as either is unsubscribed. It can be undone here.
      </Text>
      {error && <ErrorAlert error={error} title="They were not merged" />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onBack} disabled={isPending}>
          Somebody else
        </Button>
        <Button loading={isPending} onClick={merge} data-autofocus>
          Merge contacts
        </Button>
      </Group>
    </Stack>
  );
}
