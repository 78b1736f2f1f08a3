import { Skeleton } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { Panel } from '../page/panel.tsx';
import { useSizeOverTime } from './history.ts';
import type { Segment } from './segments.ts';

/** The number of members on each of the last 30 days. */
export function SizeOverTime({ segment }: { segment: Segment }) {
  const { data: series, error, refetch } = useSizeOverTime(segment);
  return (
    <Panel title="Size, last 30 days">
      {error && <ErrorAlert error={error} title="Couldn't load the size over time" onRetry={() => void refetch()} />}
      {!series && !error && <Skeleton height={260} role="status" aria-label="Loading the size over time" />}
      {series && (
        <DayChart
          label="Members by day"
          areLevels
          names={['Members']}
          days={series.items.map(({ from, count }) => ({ day: from, values: [count] }))}
        />
      )}
    </Panel>
  );
}
