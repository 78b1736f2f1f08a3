import { Button, Group, Radio, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { CommandLine } from '../clipboard/command-line.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { roles, useInvite, type useInviteAgain } from './team.ts';

type Props = { opened: boolean; again: ReturnType<typeof useInviteAgain>; onClose: () => void };

/** Asks for email and role, then shows the sign-in link, because there may be no mail server. `again` creates a new link for a user. */
export function InvitePerson({ opened, again, onClose }: Props) {
  const invite = useInvite();
  const link = (again.data ?? invite.data)?.invitation_url;
  const close = () => {
    again.reset();
    invite.reset();
    onClose();
  };
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      size="md"
      title={again.isPending ? 'New invitation link' : 'Invite a user'}
      shownTitle="User invited"
      isPending={invite.isPending || again.isPending}
      shown={link && <Invitation link={link} onDone={close} />}
    >
      {again.isPending ? (
        <Skeleton height={120} role="status" aria-label="Creating the link" />
      ) : (
        <InviteForm invite={invite} onClose={close} />
      )}
    </SecretDialog>
  );
}

const Invitation = ({ link, onDone }: { link: string; onDone: () => void }) => (
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

function InviteForm({ invite: { mutate, isPending, error }, onClose }: { invite: ReturnType<typeof useInvite>; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState(roles[0]?.role ?? 'viewer');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate({ email, role, ...(name.trim() && { name }) });
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          type="email"
          label="Email"
          data-autofocus
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(error, '/email')}
        />
        <TextInput
          label="Name"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, '/name')}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(roles.find((one) => one.role === value)?.role ?? role)}>
          <Stack gap="xs" mt="xs">
            {roles.map(({ role: value, name: label, means }) => (
              <Radio key={value} value={value} label={label} description={means} />
            ))}
          </Stack>
        </Radio.Group>
        {error && <ErrorAlert error={error} title="Couldn't invite the user" shownElsewhere={['/email', '/name']} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
