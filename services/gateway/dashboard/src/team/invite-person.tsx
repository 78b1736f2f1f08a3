import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { faultIn } from '../api/request-failed.ts';
import { CommandLine } from '../clipboard/command-line.tsx';
import { roles, useInvite } from './team.ts';

type Props = { opened: boolean; link: string | undefined; onLink: (link: string) => void; onClose: () => void };

/** Whom and as what; then the link that lets them in, for where there is no mail server. */
export function InvitePerson({ opened, link, onLink, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={link ? 'Invited' : 'Invite somebody'} closeButtonProps={{ 'aria-label': 'Close' }}>
      {link ? (
        <Stack gap="md">
          <Text size="sm">
            They get this link by mail where a mail server is set up; else hand it over yourself. It signs in once, within seven days.
          </Text>
          <CommandLine label="The invitation">{link}</CommandLine>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm onLink={onLink} onClose={onClose} />
      )}
    </Modal>
  );
}

function InviteForm({ onLink, onClose }: Pick<Props, 'onLink' | 'onClose'>) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState(roles[0]?.role ?? 'viewer');
  const { mutate, isPending, error } = useInvite();
  const invite = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    mutate({ email, role, ...(name.trim() && { name }) }, { onSuccess: ({ invitation_url }) => onLink(invitation_url) });
  };

  return (
    <form onSubmit={invite} noValidate>
      <Stack gap="md">
        <TextInput
          type="email"
          label="E-mail"
          data-autofocus
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={faultIn(error, '/email')}
        />
        <TextInput
          label="Name"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={faultIn(error, '/name')}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(roles.find((one) => one.role === value)?.role ?? role)}>
          <Stack gap="xs" mt="xs">
            {roles.map(({ role: value, name: label, means }) => (
              <Radio key={value} value={value} label={label} description={means} />
            ))}
          </Stack>
        </Radio.Group>
        {error && <ErrorAlert error={error} title="Nobody was invited" shownElsewhere={['/email', '/name']} />}
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
