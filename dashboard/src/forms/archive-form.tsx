import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { type Form, useChangeFormStatus } from './forms.ts';

/** Archives the form, or restores an archived one. */
export const ArchiveForm = ({ form }: { form: Form }) => (form.status === 'active' ? <Archive form={form} /> : <Restore form={form} />);

function Archive({ form: { id, name } }: { form: Form }) {
  const archiving = useChangeFormStatus(id, 'archive');
  return (
    <ConfirmButton
      label="Archive"
      title="Archive this form?"
      confirm="Archive form"
      failed="Couldn't archive the form"
      isHarmless
      mutation={archiving}
      onConfirm={(options) => archiving.mutate(undefined, options)}
    >
      <Text size="sm">
        The page of <strong>{name}</strong> is no longer shown, and pages that embed it can't submit it. Contacts and their consent stay,
        and you can restore the form.
      </Text>
    </ConfirmButton>
  );
}

function Restore({ form: { id } }: { form: Form }) {
  const { mutate, isPending } = useChangeFormStatus(id, 'restore');
  const restore = () =>
    mutate(undefined, {
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't restore the form", message: error.message }),
    });
  return (
    <Button loading={isPending} onClick={restore}>
      Restore
    </Button>
  );
}
