import { Progress, Skeleton, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import type { components } from '../api/schema.d.ts';
import { Page } from '../shell/page.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { useUsage } from './usage.ts';
import classes from './usage-page.module.css';

type Usage = components['schemas']['Usage'];

const figures = new Intl.NumberFormat('en');
const planNames: Record<Usage['plan'], string> = {
  starter: 'Starter',
  growth: 'Growth',
  professional: 'Professional',
  enterprise: 'Enterprise',
};

/** Settings → Usage. */
export function UsagePage() {
  const { data: usage, error, isPending, refetch } = useUsage();

  return (
    <Page title="Usage" describes="Requests to the API in this UTC day. What you do in the dashboard is not counted.">
      <Stack gap="lg">
        {error && <ErrorAlert error={error} title="The usage could not be loaded" onRetry={() => void refetch()} />}
        {isPending && <Skeleton height={148} role="status" aria-label="Loading the usage" />}
        {usage && <Today usage={usage} />}
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
            {figures.format(used)}
            {limit !== null && <span className={classes.limit}> of {figures.format(limit)}</span>}
          </p>
        </div>
        <div>
          <Text size="sm" c="dimmed">
            Plan
          </Text>
          <p className={classes.plan}>{planNames[plan]}</p>
        </div>
      </div>
      {limit !== null && (
        <Progress value={percent} color={percent >= 90 ? 'red' : 'indigo'} size="lg" aria-label="Share of today's requests that is used" />
      )}
      <Text size="sm" c="dimmed">
        {remaining === null ? 'This plan has no daily limit. ' : `${figures.format(remaining)} left. `}
        The count starts again <RelativeTime at={reset_at} />, at midnight UTC.
      </Text>
    </section>
  );
}
