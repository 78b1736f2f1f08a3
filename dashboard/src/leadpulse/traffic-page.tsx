import { Alert, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconActivity } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { pointsChange, relativeChange } from '../numbers/change.ts';
import { ChangeMark } from '../numbers/change-mark.tsx';
import { count, counted, duration, money, share } from '../numbers/format-number.ts';
import { LinkedMetric, Metric, Metrics } from '../numbers/metric.tsx';
import { EmptyState } from '../page/empty-state.tsx';
import { Page } from '../page/page.tsx';
import { Columns, Panel } from '../page/panel.tsx';
import { CreateSite, CreateSiteButton } from '../sites/create-site.tsx';
import { BreakdownPanel } from './breakdown-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { GoalsPanel } from './goals-panel.tsx';
import { type Analytics, useLiveVisitors, useTraffic } from './leadpulse.ts';
import { type ChartMetric, chartMetrics, filtersIn, rangeOf, type TrafficSearch, trafficSearch } from './leadpulse-search.ts';
import { RangeControls } from './range-controls.tsx';
import { SavedViews } from './saved-views.tsx';

/** The traffic of the account's websites. The whole view is in the URL. */
export function TrafficPage() {
  const search = useSearch({ from: '/signed-in/leadpulse' });
  const navigate = useNavigate();
  const [isAdding, adding] = useDisclosure(false);
  const { data: traffic, error, refetch, isPlaceholderData } = useTraffic(search);
  const totals = isPlaceholderData ? undefined : traffic?.totals;
  const show = (next: Record<string, unknown>) =>
    void navigate({ to: '/leadpulse', search: trafficSearch({ ...search, ...next }), resetScroll: false });
  const isEmpty = traffic?.totals.events === 0 && (traffic.comparison?.totals.events ?? 0) === 0;

  return (
    <Page title="LeadPulse" describes="Live website traffic, excluding bots." action={<SavedViews search={search} />}>
      <Stack gap="lg">
        <RangeControls search={search} onChange={show} compares />
        <FilterBar search={search} />
        {error && <ErrorAlert error={error} title="Couldn't load the traffic" onRetry={() => void refetch()} />}
        {!traffic && !error && <Outline of="the traffic" shape="report" />}
        {traffic && !error && isEmpty && (filtersIn(search).length > 0 ? <NoMatches /> : <NoTraffic onAdd={adding.open} />)}
        {traffic && !error && !isEmpty && (
          <>
            <Estimate traffic={traffic} />
            <Totals traffic={traffic} />
            <TrafficChart traffic={traffic} search={search} onChange={(metric) => show({ metric })} />
            <Columns>
              <BreakdownPanel title="Sources" name="sources" search={search} totals={totals} />
              <BreakdownPanel title="Pages" name="pages" search={search} totals={totals} />
              <BreakdownPanel title="Countries" name="locations" search={search} totals={totals} />
              <BreakdownPanel title="Devices" name="devices" search={search} totals={totals} />
            </Columns>
            <GoalsPanel search={search} />
            <BreakdownPanel title="Events" name="events" search={search} totals={totals} />
          </>
        )}
      </Stack>
      <CreateSite opened={isAdding} onClose={adding.close} />
    </Page>
  );
}

/** The value of a metric and its change since the earlier range. */
function changed(format: (value: number) => string, now: number | null | undefined, before: number | null | undefined) {
  const value = now == null ? '–' : format(now);
  if (now == null || before == null) return { value };
  if (before === 0) return { value, under: `from ${format(0)}` };
  return {
    value,
    under: (
      <>
        <ChangeMark change={relativeChange(now, before)} />
        from {format(before)}
      </>
    ),
  };
}

function Totals({ traffic: { totals, comparison } }: { traffic: Analytics }) {
  const { data: live } = useLiveVisitors();
  const before = comparison?.totals;
  const [most] = totals.revenue;
  const revenue = totals.revenue.map(({ amount, currency }) => money(amount, currency));
  const earlierRevenue = before?.revenue.map(({ amount, currency }) => money(amount, currency)).join(', ');
  return (
    <Metrics label="Totals">
      <Metric label="Visitors" {...changed(count, totals.visitors, before?.visitors)} />
      <Metric label="Page views" {...changed(count, totals.pageviews, before?.pageviews)} />
      {(revenue.length > 0 || earlierRevenue) && (
        <Metric
          label="Revenue"
          value={revenue[0] ?? '–'}
          under={
            <>
              <ChangeMark
                change={relativeChange(most?.amount, before?.revenue.find(({ currency }) => currency === most?.currency)?.amount)}
              />
              {[...revenue.slice(1), ...(earlierRevenue ? [`from ${earlierRevenue}`] : [])].join(', ')}
            </>
          }
        />
      )}
      <Metric label="Visits" {...changed(count, totals.sessions, before?.sessions)} />
      <LinkedMetric
        to="/leadpulse/live"
        label="Current visitors"
        value={live && `${count(live.count)}${live.isMore ? '+' : ''}`}
        under="in the last 5 minutes"
      />
      <Metric
        label="Bounce rate"
        value={share(totals.bounce_rate?.value)}
        under={
          before ? (
            <>
              <ChangeMark change={pointsChange(totals.bounce_rate?.value, before.bounce_rate?.value, { lowerIsBetter: true })} />
              from {share(before.bounce_rate?.value)}
            </>
          ) : (
            totals.bounce_rate && `${count(totals.bounce_rate.numerator)} of ${counted(totals.bounce_rate.denominator, 'visit')}`
          )
        }
      />
      <Metric
        label="Visit duration"
        {...changed(duration, totals.average_session_seconds?.value, before?.average_session_seconds?.value)}
      />
    </Metrics>
  );
}

type ChartProps = { traffic: Analytics; search: TrafficSearch; onChange: (metric: string) => void };

function TrafficChart({ traffic: { series, comparison }, search, onChange }: ChartProps) {
  const metric: ChartMetric = search.metric ?? 'visitors';
  const { interval } = rangeOf(search);
  const name = chartMetrics[metric];
  return (
    <Panel
      title="Traffic over time"
      action={
        <SegmentedControl
          size="xs"
          aria-label="Metric of the chart"
          data={Object.entries(chartMetrics).map(([value, label]) => ({ value, label }))}
          value={metric}
          onChange={onChange}
        />
      }
    >
      <DayChart
        label={`${name} by ${interval}`}
        interval={interval}
        names={comparison ? [name, 'Earlier'] : [name]}
        days={series.map((point, index) => ({
          day: point.from,
          values: [point[metric] ?? 0, ...(comparison ? [comparison.series[index]?.[metric] ?? 0] : [])],
        }))}
      />
    </Panel>
  );
}

/** A note that visitors are estimated from a sample, with the largest standard error of the totals and the chart. */
function Estimate({ traffic: { totals, series } }: { traffic: Analytics }) {
  const worst = Math.max(...[totals, ...series].map(({ visitors_error }) => visitors_error ?? 0));
  if (worst === 0) return null;
  return (
    <Alert color="gray" role="note">
      With this many visits, visitor numbers are estimated from a sample, with a standard error of up to {share(worst)}.
    </Alert>
  );
}

const NoMatches = () => <Text c="dimmed">No visits match these filters in this time range.</Text>;

const NoTraffic = ({ onAdd }: { onAdd: () => void }) => (
  <EmptyState title="No visits in this time range" icon={IconActivity} action={<CreateSiteButton onClick={onAdd} />}>
    LeadPulse shows how many people visit your website, where they come from and what they do. To start, add it to your pages.
  </EmptyState>
);
