import { Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { type Contact, nameOf, useContact } from '../contacts/contacts.ts';
import type { Column } from '../lists/list-table.tsx';
import { ListView } from '../lists/list-view.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { ChangeConsent } from './change-consent.tsx';
import { type ConsentEntry, channels, methods, statuses, useConsentLog } from './consent.ts';
import { ConsentByChannel } from './consent-by-channel.tsx';
import classes from './consent-page.module.css';

export function ConsentPage() {
  const { id } = useParams({ from: '/signed-in/contacts/$id/consent' });
  const query = useContact(id);
  const { data: contact } = query;
  const { mayWrite } = usePermission();
  return (
    <Page
      title={contact ? `Consent of ${nameOf(contact)}` : 'Consent'}
      describes="Current consent and every change, with its evidence. Entries are never edited or deleted."
      back={
        <BackLink to="/contacts/$id" params={{ id }}>
          {contact ? nameOf(contact) : 'Contact'}
        </BackLink>
      }
      action={contact && mayWrite && <ChangeConsent contact={contact} />}
    >
      <Loaded of="the contact" query={query}>
        {(loaded) => <About contact={loaded} />}
      </Loaded>
    </Page>
  );
}

const columns: readonly Column<ConsentEntry>[] = [
  {
    name: 'Channel',
    width: 'minmax(0, 1fr)',
    cell: ({ channel, topic }) => (topic === null ? channels[channel] : `${channels[channel]}, ${topic}`),
  },
  {
    name: 'Change',
    width: 'minmax(0, 2fr)',
    cell: ({ before, after }) => (
      <span className={classes.change}>
        <Text span inherit c="dimmed">
          {before ? statuses[before.status] : 'Not recorded'} →{' '}
        </Text>
        {after ? `${statuses[after.status]} ${methods[after.method]}` : 'Cleared'}
      </span>
    ),
  },
  { name: 'Evidence', width: 'minmax(0, 2fr)', wideOnly: true, cell: ({ evidence }) => <Proof evidence={evidence} /> },
  { name: 'Recorded', width: '138px', cell: ({ recorded_at }) => <RelativeTime at={recorded_at} /> },
];

function Proof({ evidence }: Pick<ConsentEntry, 'evidence'>) {
  if (!evidence)
    return (
      <Text span inherit c="dimmed">
        None
      </Text>
    );
  const { source, text, ip } = evidence;
  return (
    <span className={classes.proof}>
      {source && <span>{source}</span>}
      {text && <q>{text}</q>}
      {ip && <code>{ip}</code>}
    </span>
  );
}

function About({ contact }: { contact: Contact }) {
  const log = useConsentLog(contact.id);
  const { mayWrite } = usePermission();
  return (
    <Stack gap="lg">
      <Panel title="Current consent">
        <ConsentByChannel contact={contact} />
      </Panel>
      <ListView
        of="changes"
        list={log}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="No consent changes yet"
            icon={IconShieldCheck}
            action={mayWrite && <ChangeConsent contact={contact} label="Record consent" />}
          >
            Every change from a form, an import or a link in an email is listed here, with its evidence.
          </EmptyState>
        }
      />
    </Stack>
  );
}
