import { Table, Text } from '@mantine/core';
import { ContactName } from '../contacts/contact-name.tsx';
import { eventLabel } from '../names/event-labels.ts';
import { money } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './breakdown-panel.module.css';
import type { VisitorWithHistory } from './visitors.ts';

type Row = VisitorWithHistory['recent_events'][number] & { visitor?: string };

type Props = { label: string; events: readonly Row[]; linksVisitors?: boolean };

/** Events with their page, value and properties. */
export const EventTable = ({ label, events, linksVisitors = false }: Props) => (
  <div className={classes.scroll}>
    <Table aria-label={label} verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>Event</Table.Th>
          <Table.Th>Page</Table.Th>
          {linksVisitors && <Table.Th>Visitor</Table.Th>}
          <Table.Th className={classes.wideOnly}>Details</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <Table.Tr key={event.id}>
            <Table.Td>
              <RelativeTime at={event.timestamp} />
            </Table.Td>
            <Table.Td className={classes.word}>{eventLabel(event.event)}</Table.Td>
            <Table.Td className={classes.word}>
              {event.page?.title}{' '}
              <Text span inherit c="dimmed">
                {event.page?.path}
              </Text>
            </Table.Td>
            {linksVisitors && (
              <Table.Td>
                {event.visitor !== undefined && (
                  <TextLink to="/leadpulse/visitors/$id" params={{ id: event.visitor }}>
                    {event.contact_id ? <ContactName id={event.contact_id} /> : 'Anonymous'}
                  </TextLink>
                )}
              </Table.Td>
            )}
            <Table.Td className={`${classes.word} ${classes.wideOnly}`}>
              {[
                ...(event.value ? [money(event.value.amount, event.value.currency)] : []),
                ...Object.entries(event.properties).map(([name, value]) => (name === 'url' ? String(value) : `${name}: ${String(value)}`)),
              ].join(', ')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
);
