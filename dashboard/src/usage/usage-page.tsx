import { Progress, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { count } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { Page } from '../page/page.tsx';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { planNames, type Usage, usePlan, useUsage, useUsageHistory } from './usage.ts';
import classes from './usage-page.module.css';

/** Settings → Plan and usage. */
export function UsagePage() {
  const { data: usage, error, isPending, refetch } = useUsage();

  return (
    <Page title="Plan and usage" describes="API requests per UTC day. Requests from the dashboard don't count.">
      <Stack gap="lg">
        {error && <ErrorAlert error={error} title="Couldn't load the usage" onRetry={() => void refetch()} />}
        {isPending && <Outline of="the usage" shape="metrics" count={2} />}
        {usage && <Today usage={usage} />}
        <History />
        <Plan />
      </Stack>
    </Page>
  );
}

function Today({ usage: { plan, used, limit, remaining, reset_at } }: { usage: Usage }) {
  const percent = limit ? Math.min(100, (used / limit) * 100) : 0;
  return (
    <section className={classes.today} aria-label="Today">
      <div className={classes.figures}>
        <div>
          <Text size="sm" c="dimmed">
            Requests today
          </Text>
          <p className={classes.used}>
            {count(used)}
            {limit !== null && <span className={classes.limit}> of {count(limit)}</span>}
          </p>
        </div>
        <div>
          <Text size="sm" c="dimmed">
            Plan
          </Text>
          <p className={classes.plan}>{planNames[plan]}</p>
        </div>
      </div>
      {limit !== null && <Progress value={percent} color={percent >= 90 ? 'red' : 'indigo'} size="lg" aria-label="Daily limit used" />}
      <Text size="sm" c="dimmed">
        {remaining === null ? 'This plan has no daily limit. ' : `${count(remaining)} left. `}
        Resets <RelativeTime at={reset_at} />, at midnight UTC.
      </Text>
    </section>
  );
}

function History() {
  const { data: days, error, refetch } = useUsageHistory(30);
  return (
    <Panel title="Last 30 days">
      {error && <ErrorAlert error={error} title="Couldn't load the usage history" onRetry={() => void refetch()} />}
      {!days && !error && <Outline of="the usage history" shape="chart" />}
      {days && (
        <DayChart
          label="Requests by day"
          timeZone="UTC"
          names={['Requests']}
          days={days.map(({ date, requests }) => ({ day: date, values: [requests] }))}
        />
      )}
    </Panel>
  );
}

function Plan() {
  const { data: plan, error, refetch } = usePlan();
  if (error) return <ErrorAlert error={error} title="Couldn't load the plan" onRetry={() => void refetch()} />;
  return (
    <Metrics label="Plan limits">
      <Metric label="Requests per day" value={plan && (plan.daily_requests === null ? 'No limit' : count(plan.daily_requests))} />
      <Metric label="Requests per second" value={plan && count(plan.requests_per_second)} under={plan && `burst of ${count(plan.burst)}`} />
      <Metric label="Concurrent requests" value={plan && count(plan.concurrent_requests)} />
    </Metrics>
  );
}
