import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { DayChart } from '../charts/day-chart.tsx';
import { Panel } from '../page/panel.tsx';
import { useSizeOverTime } from './history.ts';
import type { Segment } from './segments.ts';

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });

/** How many members there are more, or fewer, than 30 days ago. */
export function useChangeOfSize(segment: Segment): string | undefined {
  const { data: series, isError } = useSizeOverTime(segment);
  const [first, last] = [series?.items[0], series?.items.at(-1)];
  if (first && last) return signed.format(last.count - first.count);
  return series || isError ? '–' : undefined;
}

/** The number of members on each of the last 30 days. */
export function SizeOverTime({ segment }: { segment: Segment }) {
  const { data: series, error, refetch } = useSizeOverTime(segment);
  return (
    <Panel title="Size, last 30 days">
      {error && <ErrorAlert error={error} title="Couldn't load the size over time" onRetry={() => void refetch()} />}
      {!series && !error && <Outline of="the size over time" shape="chart" />}
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
