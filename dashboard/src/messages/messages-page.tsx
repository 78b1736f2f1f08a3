import { Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { reasonOf } from '../campaigns/delivery-reasons.ts';
import { RecipientStatus, recipientStates, stateLabel } from '../campaigns/recipient-status.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { ChoiceChip } from '../lists/chips.tsx';
import { ListPage } from '../lists/list-page.tsx';
import type { Column } from '../lists/list-table.tsx';
import { RowLink } from '../lists/row-link.tsx';
import { useNames } from '../names/names.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { type Message, messageSearch, useMessages } from './messages.ts';

const categories: Record<Message['category'], string> = { transactional: 'Transactional', marketing: 'Marketing', test: 'Test' };

const columnsOf = (named: (id: string) => string): readonly Column<Message>[] => [
  {
    name: 'Recipient',
    width: 'minmax(0, 2fr)',
    cell: ({ to }) =>
      to.contact_id ? (
        <RowLink to="/contacts/$id" params={{ id: to.contact_id }} under={to.email}>
          <ContactName id={to.contact_id} />
        </RowLink>
      ) : (
        to.email
      ),
  },
  { name: 'Template', width: 'minmax(0, 1.2fr)', wideOnly: true, cell: ({ template_id }) => (template_id ? named(template_id) : '–') },
  { name: 'Category', width: '120px', wideOnly: true, cell: ({ category }) => categories[category] },
  { name: 'Status', width: '130px', cell: ({ status }) => <RecipientStatus state={status} /> },
  {
    name: 'Reason',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: reasonOf,
  },
  { name: 'Sent', width: '138px', wideOnly: true, cell: ({ sent_at }) => sent_at && <RelativeTime at={sent_at} /> },
];

/** Emails to one recipient each: those that apps send through the API, and those that users send to a contact. */
export function MessagesPage() {
  const search = useSearch({ from: '/signed-in/campaigns/messages' });
  const navigate = useNavigate();
  const messages = useMessages(search);
  const { named } = useNames();
  const isNarrowed = search.status !== undefined;
  return (
    <ListPage
      title="Messages"
      describes="Single emails, such as receipts, sent through the API or from the page of a contact."
      of="messages"
      list={messages}
      columns={columnsOf(named)}
      empty={isNarrowed ? <Text c="dimmed">No messages have this status.</Text> : <NoMessages />}
      filters={
        (isNarrowed || messages.rows.length > 0) && (
          <ChoiceChip
            label="Status"
            choices={recipientStates.map((value) => ({ value, label: stateLabel(value) }))}
            value={search.status}
            onChange={(status) => void navigate({ to: '/campaigns/messages', search: messageSearch({ status }) })}
          />
        )
      }
    />
  );
}

const NoMessages = () => (
  <EmptyState title="No messages yet" icon={IconSend} action={<ButtonLink to="/contacts">View contacts</ButtonLink>}>
    A message is one email to one person, such as a receipt or a reset link. Your app sends it through the API, or you send it from the page
    of a contact.
  </EmptyState>
);
