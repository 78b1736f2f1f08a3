import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { CommandLine } from '../clipboard/command-line.tsx';
import { ConfirmItemDialog } from '../dialogs/confirm-item-dialog.tsx';
import { AddDomain } from '../form/add-domain.tsx';
import { Panel } from '../page/panel.tsx';
import { Status } from '../page/status.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Sender, useAddSender, useCheckSender, useDeleteSender, useSenders } from './senders.ts';

/** The domains that emails are sent from, with the DNS records that prove it. */
export function SendersPanel() {
  const query = useSenders();
  const add = useAddSender();
  const remove = useDeleteSender();
  const [chosen, setChosen] = useState<{ id: string; name: string }>();
  return (
    <Panel title="Sending domains">
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          Mailbox providers trust emails from a domain whose DNS records name this platform. Add the domain of your From address, set its
          records where the domain is managed, and check them here.
        </Text>
        <Loaded of="the sending domains" query={query}>
          {(senders) =>
            senders.map((sender) => (
              <SenderRecords key={sender.id} sender={sender} onDelete={() => setChosen({ id: sender.id, name: sender.domain })} />
            ))
          }
        </Loaded>
        <AddDomain add={add} next="Set its DNS records." />
      </Stack>
      <ConfirmItemDialog
        item={chosen}
        onClose={() => setChosen(undefined)}
        mutation={remove}
        title="Delete this sending domain?"
        confirm="Delete domain"
        failed="Couldn't delete the domain"
        done="was deleted."
      >
        {({ name }) => `Emails from ${name} are no longer signed. If you add it again, it gets other records.`}
      </ConfirmItemDialog>
    </Panel>
  );
}

const purposes: Readonly<Record<Sender['records'][number]['purpose'], string>> = {
  dkim: 'DKIM: signs the emails',
  spf: 'SPF: allows the server',
  dmarc: 'DMARC: what to do with forgeries',
  return_path: 'Return path: receives bounces',
};

function SenderRecords({ sender, onDelete }: { sender: Sender; onDelete: () => void }) {
  const { id, domain, status, records, checked_at } = sender;
  const check = useCheckSender(id);
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
          <Button size="xs" variant="default" loading={check.isPending} aria-label={`Check ${domain}`} onClick={() => check.mutate()}>
            Check records
          </Button>
          <Button size="xs" variant="subtle" color="red" aria-label={`Delete ${domain}`} onClick={onDelete}>
            Delete
          </Button>
        </Group>
      </Group>
      {check.error && <ErrorAlert error={check.error} title="Couldn't check the records" />}
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={`DNS records of ${domain}`} layout="fixed" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={150}>Record</Table.Th>
              <Table.Th>Name and value</Table.Th>
              <Table.Th w={110}>Found</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {records.map(({ purpose, type, name, value, required: isRequired, found }) => (
              <Table.Tr key={purpose} style={{ verticalAlign: 'top' }}>
                <Table.Td>
                  {purposes[purpose]}
                  <Text size="xs" c="dimmed">
                    {type}, {isRequired ? 'required' : 'recommended'}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <CommandLine label={`Name of ${purpose}`}>{name}</CommandLine>
                  <CommandLine label={`Value of ${purpose}`}>{value}</CommandLine>
                </Table.Td>
                <Table.Td>{found === null ? '–' : <Status tone={found ? 'good' : 'warn'}>{found ? 'Yes' : 'No'}</Status>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
