import { Alert, Group, NativeSelect, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { count, duration, money, share } from '../numbers/format-number.ts';
import { LinkedMetric, Metric, Metrics } from '../numbers/metric.tsx';
import { ButtonLink } from '../shell/button-link.tsx';
import { EmptyState } from '../shell/empty-state.tsx';
import { Page } from '../shell/page.tsx';
import { Panel } from '../shell/panel.tsx';
import { CreateSite } from '../sites/create-site.tsx';
import { BreakdownTable } from './breakdown-table.tsx';
import { type Analytics, useLiveVisitors, useTraffic } from './leadpulse.ts';
import { breakdowns, ranges, trafficSearch } from './leadpulse-search.ts';

export function TrafficPage() {
  const { days = 28, by = 'page' } = useSearch({ from: '/signed-in/leadpulse' });
  const navigate = useNavigate();
  const { data: traffic, error, refetch } = useTraffic(days, by);
  const show = (next: Record<string, unknown>) => void navigate({ to: '/leadpulse', search: trafficSearch({ days, by, ...next }) });

  return (
    <Page
      title="LeadPulse"
      describes="Live website traffic, excluding bots."
      action={
        <ButtonLink to="/leadpulse/visitors" variant="default">
          Visitors
        </ButtonLink>
      }
    >
      <Stack gap="lg">
        {error && <ErrorAlert error={error} title="Couldn't load the traffic" onRetry={() => void refetch()} />}
        {!traffic && !error && <Skeleton height={400} role="status" aria-label="Loading the traffic" />}
        {traffic && (
          <>
            <SegmentedControl
              aria-label="Time range"
              data={ranges.map((range) => ({ value: String(range), label: `${range} days` }))}
              value={String(days)}
              onChange={(value) => show({ days: value })}
              w="fit-content"
            />
            <Estimate traffic={traffic} />
            {traffic.totals.events === 0 ? <NoTraffic /> : <Traffic traffic={traffic} />}
            {traffic.totals.events > 0 && (
              <Panel
                title="Sources and pages"
                action={
                  <Group gap="xs">
                    <NativeSelect
                      size="xs"
                      aria-label="Break down by"
                      data={breakdowns.map((one) => ({ value: one.by, label: one.name }))}
                      value={by}
                      onChange={(event) => show({ by: event.currentTarget.value })}
                    />
                  </Group>
                }
              >
                <BreakdownTable breakdown={traffic.breakdown} />
              </Panel>
            )}
          </>
        )}
      </Stack>
    </Page>
  );
}

function Traffic({ traffic: { totals, series } }: { traffic: Analytics }) {
  const { data: live } = useLiveVisitors();
  const revenue = totals.revenue.map(({ amount, currency }) => money(amount, currency));
  return (
    <>
      <Metrics label="Totals">
        <LinkedMetric
          to="/leadpulse/visitors"
          label="Current visitors"
          value={live && `${count(live.count)}${live.isMore ? '+' : ''}`}
          under="in the last 5 minutes"
        />
        <Metric label="Visitors" value={totals.visitors === null ? '–' : count(totals.visitors)} />
        <Metric label="Visits" value={totals.sessions === null ? '–' : count(totals.sessions)} />
        <Metric label="Page views" value={count(totals.pageviews)} />
        <Metric
          label="Bounce rate"
          value={share(totals.bounce_rate?.value)}
          under={totals.bounce_rate && `${count(totals.bounce_rate.numerator)} of ${count(totals.bounce_rate.denominator)} visits`}
        />
        <Metric
          label="Visit duration"
          value={totals.average_session_seconds?.value == null ? '–' : duration(totals.average_session_seconds.value)}
        />
        {revenue.length > 0 && <Metric label="Revenue" value={revenue[0]} under={revenue.slice(1).join(', ')} />}
      </Metrics>
      <Panel title="Daily traffic">
        <DayChart
          label="Visitors and page views by day"
          days={series.map(({ start, visitors, pageviews }) => ({ day: start, values: [visitors ?? 0, pageviews] }))}
          names={['Visitors', 'Page views']}
        />
      </Panel>
    </>
  );
}

/** A note that visitors are estimated from a sample, with the largest standard error on the page. */
function Estimate({ traffic: { totals, series, breakdown } }: { traffic: Analytics }) {
  const worst = Math.max(...[totals, ...series, ...(breakdown?.items ?? [])].map(({ visitors_error }) => visitors_error ?? 0));
  if (worst === 0) return null;
  return (
    <Alert color="gray" role="note">
      Visitor numbers are estimated from a sample because of the number of visits, with a standard error of up to {share(worst)}.
    </Alert>
  );
}

const NoTraffic = () => (
  <EmptyState title="No visits in this time range" icon={IconActivity} action={<CreateSite />}>
    LeadPulse shows how many people visit your website, where they come from and what they do. To start, add it to your pages.
  </EmptyState>
);
