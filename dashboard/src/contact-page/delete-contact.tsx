import { Button, Checkbox, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Contact, nameOf, useDeleteContact, useEraseContact, useRestoreContact } from '../contacts/contacts.ts';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { notifyUndo } from '../page/notify-undo.tsx';
import { usePermission } from '../session/permission.ts';

export function DeleteContact({ contact }: { contact: Contact }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { may } = usePermission();
  const [isErasing, setErasing] = useState(false);
  const [deletion, erasure] = [useDeleteContact(contact), useEraseContact(contact)];
  const { isPending, error } = isErasing ? erasure : deletion;
  const restore = useRestoreContact(contact);
  const undo = async () => {
    try {
      await restore();
      notifications.show({ message: `${nameOf(contact)} was restored.` });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      notifications.show({ color: 'red', title: "Couldn't restore the contact", message });
    }
  };
  const deleteIt = () => {
    const onSuccess = () => {
      if (isErasing) notifications.show({ message: `${nameOf(contact)} was erased.` });
      else notifyUndo(`${nameOf(contact)} was deleted.`, undo);
      void navigate({ to: '/contacts' });
    };
    if (isErasing) erasure.mutate(undefined, { onSuccess });
    else deletion.mutate(undefined, { onSuccess });
  };

  return (
    <>
      <Button variant="default" onClick={open}>
        Delete
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={() => {
          deletion.reset();
          erasure.reset();
          close();
        }}
        title="Delete this contact?"
        confirm={isErasing ? 'Erase contact' : 'Delete contact'}
        isPending={isPending}
        error={error}
        failed="Couldn't delete the contact"
        onConfirm={deleteIt}
      >
        <Text size="sm">
          <strong>{nameOf(contact)}</strong> is removed from every segment and gets no more emails. You can restore it for 30 days.
        </Text>
        {may('contacts:erase') && (
          <Checkbox
            label="Erase everything"
            description="Permanently erases all data, including the proof of consent. Use this for legal erasure requests."
            checked={isErasing}
            onChange={(event) => setErasing(event.currentTarget.checked)}
          />
        )}
      </ConfirmDialog>
    </>
  );
}
