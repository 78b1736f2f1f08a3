import { Stack, Table, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Loaded } from '../api/loaded.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { count, duration, money } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { TextLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { Columns, Facts, Panel } from '../shell/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import classes from './breakdown-panel.module.css';
import { touchWords, useVisitor, type VisitorWithHistory, visitorName } from './leadpulse.ts';
import { VisitorActions } from './visitor-actions.tsx';

export function VisitorPage() {
  const { id } = useParams({ from: '/signed-in/leadpulse/visitors/$id' });
  const query = useVisitor(id);
  const { data: visitor } = query;
  return (
    <Page
      title={visitor ? visitorName(visitor) : 'Visitor'}
      describes={visitor?.bot ? 'Bot, not counted in traffic' : undefined}
      back={<BackLink to="/leadpulse/visitors">Visitors</BackLink>}
      action={visitor && <VisitorActions visitor={visitor} />}
    >
      <Loaded of="the visitor" query={query}>
        {(loaded) => <About visitor={loaded} />}
      </Loaded>
    </Page>
  );
}

function About({ visitor }: { visitor: VisitorWithHistory }) {
  const { contact_id, first_touch, last_touch } = visitor;
  return (
    <Stack gap="lg">
      <Metrics label="At a glance">
        <Metric label="Visits" value={count(visitor.sessions)} />
        <Metric label="Page views" value={count(visitor.pageviews)} />
        <Metric label="Events" value={count(visitor.events)} />
      </Metrics>
      <Columns>
        <Panel title="Visitor">
          <Facts
            facts={{
              Contact: contact_id ? (
                <TextLink to="/contacts/$id" params={{ id: contact_id }}>
                  <ContactName id={contact_id} />
                </TextLink>
              ) : (
                'Unknown'
              ),
              'First seen': <RelativeTime at={visitor.first_seen_at} />,
              'Last seen': <RelativeTime at={visitor.last_seen_at} />,
              'First source': touchWords(first_touch),
              'First page': first_touch?.page,
              'Last source': touchWords(last_touch),
              Device: [visitor.device, visitor.browser, visitor.os].filter(Boolean).join(', '),
              Country: visitor.country,
              Language: visitor.locale,
              'Time zone': visitor.timezone,
              ID: <code>{visitor.id}</code>,
            }}
          />
        </Panel>
        <Panel title="Latest visits">
          <Facts
            facts={Object.fromEntries(
              visitor.recent_sessions.map((session) => [
                new Date(session.started_at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }),
                <Text key={session.id} span inherit>
                  {session.entry_page ?? 'no page'}, {count(session.pageviews)} views, {duration(session.duration_seconds)}{' '}
                  <Text span inherit c="dimmed">
                    {session.source}
                  </Text>
                </Text>,
              ]),
            )}
          />
        </Panel>
      </Columns>
      <Panel title="Latest events">
        <div className={classes.scroll}>
          <Table aria-label="Latest events" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Event</Table.Th>
                <Table.Th>Page</Table.Th>
                <Table.Th className={classes.wideOnly}>Details</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {visitor.recent_events.map((event) => (
                <Table.Tr key={event.id}>
                  <Table.Td>
                    <RelativeTime at={event.timestamp} />
                  </Table.Td>
                  <Table.Td>{event.event}</Table.Td>
                  <Table.Td className={classes.word}>
                    {event.page?.title}{' '}
                    <Text span inherit c="dimmed">
                      {event.page?.path}
                    </Text>
                  </Table.Td>
                  <Table.Td className={`${classes.word} ${classes.wideOnly}`}>
                    {[
                      ...(event.value ? [money(event.value.amount, event.value.currency)] : []),
                      ...Object.entries(event.properties).map(([name, value]) => `${name}: ${String(value)}`),
                    ].join(', ')}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </Panel>
    </Stack>
  );
}
