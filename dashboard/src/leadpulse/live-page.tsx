import { Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { Loaded } from '../api/loaded.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { CreateSite, CreateSiteButton } from '../sites/create-site.tsx';
import classes from './breakdown-panel.module.css';
import { useEventStream } from './event-stream.ts';
import { EventTable } from './event-table.tsx';
import { type Live, useLive } from './leadpulse.ts';
import { valueText } from './leadpulse-search.ts';

/** The current visitors of the account's websites, and what they do. */
export function LivePage() {
  const query = useLive();
  return (
    <Page title="Live" describes="Current visitors, excluding bots.">
      <Stack gap="lg">
        <Loaded of="the current visitors" shape="report" query={query}>
          {(live) => <Now live={live} />}
        </Loaded>
        <LatestEvents />
      </Stack>
    </Page>
  );
}

function Now({ live }: { live: Live }) {
  const window =
    live.window_seconds >= 60 ? `in the last ${counted(live.window_seconds / 60, 'minute')}` : `in the last ${live.window_seconds} seconds`;
  return (
    <>
      <Metrics label="Now">
        <Metric label="Current visitors" value={count(live.visitors)} under={window} />
        <Metric label="Page views" value={count(live.pageviews)} under={window} />
        <Metric label="Events" value={count(live.events)} under={window} />
      </Metrics>
      {live.visitors > 0 && (
        <Columns>
          <Values title="Pages" values={live.pages} text={(value) => value} />
          <Values title="Sources" values={live.sources} text={(value) => valueText('channel', value)} />
          <Values title="Countries" values={live.countries} text={(value) => valueText('country', value)} />
        </Columns>
      )}
    </>
  );
}

type ValuesProps = { title: string; values: Live['pages']; text: (value: string) => string };

function Values({ title, values, text }: ValuesProps) {
  const known = values.flatMap(({ value, visitors }) => (value === null ? [] : [{ value, visitors }]));
  const others = values.reduce((sum, { value, visitors }) => sum + (value === null ? visitors : 0), 0);
  const most = Math.max(1, ...values.map(({ visitors }) => visitors));
  return (
    <Panel title={title}>
      <Table aria-label={title} verticalSpacing={6}>
        <Table.Tbody>
          {known.map(({ value, visitors }) => (
            <Table.Tr key={value}>
              <Table.Td className={classes.value}>
                <span className={classes.bar} style={{ width: `${(visitors / most) * 100}%` }} aria-hidden />
                <span className={classes.word}>{text(value)}</span>
              </Table.Td>
              <Table.Td ta="end">{count(visitors)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {others > 0 && (
        <Text size="xs" c="dimmed" mt={known.length > 0 ? 'xs' : 0}>
          Not known for {counted(others, 'visitor')}.
        </Text>
      )}
    </Panel>
  );
}

function LatestEvents() {
  const { events, skipped, isOpen } = useEventStream();
  const [isAdding, adding] = useDisclosure(false);
  const { data: live } = useLive();
  const isTracking = live !== undefined && live.events > 0;
  return (
    <Panel
      title="Events as they happen"
      action={
        <Text size="sm" c="dimmed" role="status">
          {isOpen ? 'Connected' : 'Connecting…'}
        </Text>
      }
    >
      {events.length === 0 ? (
        <EmptyState
          title={isTracking ? 'Waiting for the next event' : 'Waiting for an event'}
          icon={IconActivity}
          action={!isTracking && <CreateSiteButton onClick={adding.open} />}
        >
          Open one of your pages in another tab: its events appear here within seconds.
        </EmptyState>
      ) : (
        <EventTable label="Events as they happen" events={events} linksVisitors />
      )}
      {skipped > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {counted(skipped, 'more event')} happened in busy seconds and {skipped === 1 ? 'is' : 'are'} not shown.
        </Text>
      )}
      <CreateSite opened={isAdding} onClose={adding.close} />
    </Panel>
  );
}
