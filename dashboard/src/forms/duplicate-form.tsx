import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { type Form, useDuplicateForm } from './forms.ts';

const maxAttempts = 20;

/** Copies the form as it is saved, under the first name that is free, and opens the copy. */
export function DuplicateForm({ form: { id, name } }: { form: Form }) {
  const navigate = useNavigate();
  const duplication = useDuplicateForm(id);
  const duplicate = (attempt: number) =>
    duplication.mutate(attempt === 1 ? `${name} (copy)` : `${name} (copy ${attempt})`, {
      onSuccess: (copy) => {
        notifications.show({ message: `${copy.name} was created.` });
        void navigate({ to: '/contacts/forms/$id', params: { id: copy.id } });
      },
      onError: (error) => {
        const isTaken = 'code' in error && error.code === 'CONFLICT';
        if (isTaken && attempt < maxAttempts) duplicate(attempt + 1);
        else notifications.show({ color: 'red', title: "Couldn't duplicate the form", message: error.message });
      },
    });
  return (
    <Button variant="default" loading={duplication.isPending} onClick={() => duplicate(1)}>
      Duplicate
    </Button>
  );
}
