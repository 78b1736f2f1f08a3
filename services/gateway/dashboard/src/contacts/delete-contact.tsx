import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../shell/confirm.tsx';
import { type Contact, nameOf, useDeleteContact } from './contacts.ts';

export function DeleteContact({ contact }: { contact: Contact }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useDeleteContact(contact);
  const deleteIt = () =>
    mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: `${nameOf(contact)} is deleted.` });
        void navigate({ to: '/contacts' });
      },
    });

  return (
    <>
      <Button variant="default" onClick={open}>
        Delete
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          reset();
          close();
        }}
        title="Delete this contact?"
        confirm="Delete contact"
        isPending={isPending}
        error={error}
        failed="The contact was not deleted"
        onConfirm={deleteIt}
      >
        <Text size="sm">
          <strong>{nameOf(contact)}</strong> leaves every segment and gets no more mail. This cannot be taken back.
        </Text>
      </Confirm>
    </>
  );
}
