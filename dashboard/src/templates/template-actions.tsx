import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Template, useDeleteTemplate, useDuplicateTemplate } from './templates.ts';

export function DuplicateTemplate({ template: { id, name } }: { template: Template }) {
  const navigate = useNavigate();
  const duplication = useDuplicateTemplate(id);
  const duplicate = (attempt: number) =>
    duplication.mutate(attempt === 1 ? `${name} (copy)` : `${name} (copy ${attempt})`, {
      onSuccess: (copy) => {
        notifications.show({ message: `${copy.name} was created.` });
        void navigate({ to: '/campaigns/templates/$id', params: { id: copy.id } });
      },
      onError: (error) => {
        const isTaken = 'code' in error && error.code === 'CONFLICT';
        if (isTaken && attempt < 20) duplicate(attempt + 1);
        else notifications.show({ color: 'red', title: "Couldn't duplicate the template", message: error.message });
      },
    });
  return (
    <Button variant="default" loading={duplication.isPending} onClick={() => duplicate(1)}>
      Duplicate
    </Button>
  );
}

export function DeleteTemplate({ template: { id, name } }: { template: Template }) {
  const deletion = useDeleteTemplate(id);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this template?"
      confirm="Delete template"
      failed="Couldn't delete the template"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`${name} was deleted.`}
      next={{ to: '/campaigns/templates' }}
    >
      <Text size="sm">
        <strong>{name}</strong> and its versions are deleted. Emails that were sent with it keep their content. This can't be undone.
      </Text>
    </ConfirmButton>
  );
}
