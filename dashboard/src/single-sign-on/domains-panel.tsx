import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { AddDomain } from '../form/add-domain.tsx';
import { Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type SignInDomain, useAddDomain, useDeleteDomain, useDomains, useVerifyDomain } from './domains.ts';

/** The email domains of the account, with the DNS records that prove them. */
export function DomainsPanel() {
  const query = useDomains();
  const add = useAddDomain();
  const [chosen, setChosen] = useState<{ id: string; name: string }>();
  return (
    <Panel title="Domains">
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          Verify the domains of your email addresses. Only people in a verified domain become users at their first sign-in, and only
          existing users in one are linked without an invitation.
        </Text>
        <Loaded of="the domains" query={query}>
          {(domains) =>
            domains.map((domain) => (
              <Domain key={domain.id} domain={domain} onDelete={() => setChosen({ id: domain.id, name: domain.domain })} />
            ))
          }
        </Loaded>
        <AddDomain add={add} next="Set its DNS record." />
      </Stack>
      <ConfirmItemDialog
        item={chosen}
        onClose={() => setChosen(undefined)}
        mutation={useDeleteDomain()}
        title="Delete this domain?"
        confirm="Delete domain"
        failed="Couldn't delete the domain"
        done="was deleted."
      >
        {({ name }) => `No further users of ${name} are linked or created. Users who are linked can still sign in.`}
      </ConfirmItemDialog>
    </Panel>
  );
}

function Domain({ domain: { id, domain, status, record, checked_at }, onDelete }: { domain: SignInDomain; onDelete: () => void }) {
  const verify = useVerifyDomain(id);
  return (
    <section aria-label={domain}>
      <Group justify="space-between" gap="sm" mb="xs">
        <Group gap="sm" fz="sm">
          <Title order={3} size="h6">
            {domain}
          </Title>
          <Status tone={status === 'verified' ? 'good' : 'warn'}>{status === 'verified' ? 'Verified' : 'Not verified yet'}</Status>
          {checked_at && (
            <Text size="xs" c="dimmed">
              Checked <RelativeTime at={checked_at} />
            </Text>
          )}
        </Group>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={verify.isPending} aria-label={`Verify ${domain}`} onClick={() => verify.mutate()}>
            Verify
          </Button>
          <Button size="xs" variant="subtle" color="red" aria-label={`Delete ${domain}`} onClick={onDelete}>
            Delete
          </Button>
        </Group>
      </Group>
      {verify.error && <ErrorAlert error={verify.error} title="Couldn't look up the record" />}
      <Text size="sm" mb={4}>
        Name of the {record.type} record
      </Text>
      <CommandLine label={`Name of the record of ${domain}`}>{record.name}</CommandLine>
      <Text size="sm" mt="xs" mb={4}>
        Value
      </Text>
      <CommandLine label={`Value of the record of ${domain}`}>{record.value}</CommandLine>
    </section>
  );
}
