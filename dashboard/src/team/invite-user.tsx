import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Outline } from '../api/outline.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ChoiceField } from '../form/choice-field.tsx';
import { Form } from '../form/form.tsx';
import { FormActions } from '../form/form-actions.tsx';
import { required } from '../form/required.ts';
import { useRoleChoices } from '../roles/role-choices.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { type Invitation, useInvite, type useInviteAgain } from './team.ts';

type Props = { opened: boolean; again: ReturnType<typeof useInviteAgain>; onClose: () => void };

/** Asks for email and role, then shows the sign-in link, because there may be no mail server. `again` creates a new link for a user. */
export function InviteUser({ opened, again, onClose }: Props) {
  const invite = useInvite();
  const creation = {
    data: (again.data ?? invite.data)?.invitation_url,
    isPending: invite.isPending || again.isPending,
    reset: () => {
      again.reset();
      invite.reset();
    },
  };
  return (
    <SecretDialog
      opened={opened}
      onClose={onClose}
      size="md"
      title={again.isPending ? 'New invitation link' : 'Invite a user'}
      shownTitle="User invited"
      creation={creation}
      shown={(link, onDone) => <InvitationLink link={link} onDone={onDone} />}
    >
      {(close) =>
        again.isPending ? (
          <Outline doing="Creating" of="the link" shape="lines" />
        ) : (
          <InviteForm saving={invite} onSubmit={invite.mutate} onCancel={close} />
        )
      }
    </SecretDialog>
  );
}

const InvitationLink = ({ link, onDone }: { link: string; onDone: () => void }) => (
  <Stack gap="md">
    <Text size="sm">
      If a mail server is set up, the user gets this link by email. Otherwise, send it yourself. It works once, within seven days.
    </Text>
    <CommandLine label="Invitation link">{link}</CommandLine>
    <Group justify="flex-end">
      <Button variant="default" onClick={onDone}>
        Done
      </Button>
    </Group>
  </Stack>
);

type FormProps = {
  saving: { isPending: boolean; error: Error | null };
  onSubmit: (invitation: Invitation) => void;
  onCancel: () => void;
};

function InviteForm({ saving, onSubmit, onCancel }: FormProps) {
  const choices = useRoleChoices();
  const form = useForm<{ email: string; name: string; role: Invitation['role'] }>({
    initialValues: { email: '', name: '', role: 'viewer' },
    validate: { email: required('Enter an email address.') },
  });
  return (
    <Form form={form} saving={saving} onSubmit={({ email, role, name }) => onSubmit({ email, role, ...(name.trim() && { name }) })}>
      <Stack gap="md">
        <TextInput type="email" label="Email" data-autofocus autoComplete="off" {...form.getInputProps('email')} />
        <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
        <ChoiceField label="Role" choices={choices} {...form.getInputProps('role')} />
        <FormActions submit="Invite" failed="Couldn't invite the user" cancel={onCancel} />
      </Stack>
    </Form>
  );
}
