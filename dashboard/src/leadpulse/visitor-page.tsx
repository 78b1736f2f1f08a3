import { Button, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { Outline } from '../api/outline.tsx';
import { ContactName } from '../contacts/contact-name.tsx';
import { count, counted, duration } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { TextLink } from '../page/button-link.tsx';
import { DescriptionList } from '../page/description-list.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { absolute } from '../time/relative.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { EventTable } from './event-table.tsx';
import { valueText } from './leadpulse-search.ts';
import { VisitorActions } from './visitor-actions.tsx';
import { countryLabel, visitorLabel } from './visitor-name.tsx';
import { touchLabel, useEvents, useSessions, useVisitor, type VisitorWithHistory } from './visitors.ts';

export function VisitorPage() {
  const { id } = useParams({ from: '/signed-in/leadpulse/visitors/$id' });
  const query = useVisitor(id);
  const { data: visitor } = query;
  return (
    <Page
      title={visitor ? visitorLabel(visitor) : 'Visitor'}
      describes={visitor && <Describes visitor={visitor} />}
      back={<BackLink to="/leadpulse/visitors">Visitors</BackLink>}
      action={visitor && <VisitorActions visitor={visitor} />}
    >
      <Loaded of="the visitor" query={query}>
        {(loaded) => <About visitor={loaded} />}
      </Loaded>
    </Page>
  );
}

/** Whose browser it is, where it is, and whether it is a bot. */
const Describes = ({ visitor: { contact_id, country, bot } }: { visitor: VisitorWithHistory }) => (
  <>
    {contact_id ? <ContactName id={contact_id} /> : 'Anonymous visitor'}
    {country && `, ${countryLabel(country)}`}
    {bot && '. Bot, not counted in traffic'}
  </>
);

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
          <DescriptionList
            items={{
              Contact: contact_id ? (
                <TextLink to="/contacts/$id" params={{ id: contact_id }}>
                  <ContactName id={contact_id} />
                </TextLink>
              ) : (
                'Anonymous'
              ),
              'First seen': <RelativeTime at={visitor.first_seen_at} />,
              'Last seen': <RelativeTime at={visitor.last_seen_at} />,
              'First source': touchLabel(first_touch),
              'First page': first_touch?.page,
              'Last source': touchLabel(last_touch),
              Device: [visitor.device && valueText('device', visitor.device), visitor.browser, visitor.os].filter(Boolean).join(', '),
              Country: countryLabel(visitor.country),
              Language: visitor.locale,
              'Time zone': visitor.timezone,
              'Visitor ID': visitor.visitor_id && <code>{visitor.visitor_id}</code>,
              ID: <code>{visitor.id}</code>,
            }}
          />
        </Panel>
        <Visits id={visitor.id} />
      </Columns>
      <Events id={visitor.id} />
    </Stack>
  );
}

function Visits({ id }: { id: string }) {
  const { rows, error, isPending, reload, ...list } = useSessions(id);
  return (
    <Panel title="Visits">
      {error && <ErrorAlert error={error} title="Couldn't load the visits" onRetry={() => void reload()} />}
      {isPending && <Outline of="the visits" shape="rows" />}
      <DescriptionList
        items={Object.fromEntries(
          rows.map((session) => [
            absolute(session.started_at),
            <Text key={session.id} span inherit>
              {session.entry_page ?? 'no page'}, {counted(session.pageviews, 'view')}, {duration(session.duration_seconds)}{' '}
              <Text span inherit c="dimmed">
                {session.source}
                {session.bot && ', bot'}
              </Text>
            </Text>,
          ]),
        )}
      />
      <More of="visits" {...list} />
    </Panel>
  );
}

function Events({ id }: { id: string }) {
  const { rows, error, isPending, reload, ...list } = useEvents(id);
  return (
    <Panel title="Events">
      {error && <ErrorAlert error={error} title="Couldn't load the events" onRetry={() => void reload()} />}
      {isPending && <Outline of="the events" shape="rows" count={5} />}
      {rows.length > 0 && <EventTable label="Events" events={rows} />}
      <More of="events" {...list} />
    </Panel>
  );
}

type MoreProps = { of: string; hasMore: boolean; isLoadingMore: boolean; loadMore: () => Promise<unknown> };

const More = ({ of, hasMore, isLoadingMore, loadMore }: MoreProps) =>
  hasMore && (
    <Button size="xs" variant="default" mt="sm" loading={isLoadingMore} onClick={() => void loadMore()}>
      Show earlier {of}
    </Button>
  );
