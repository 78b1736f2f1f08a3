import '@mantine/charts/styles.css';
import { ChartLegend, ChartTooltip, AreaChart as MantineAreaChart } from '@mantine/charts';
import { count } from '../numbers/format-number.ts';

type Row = Record<string, unknown>;
/** `isLastOpen` says that the last row's counts still grow; the line to it is dotted. */
type Props = { height: number; names: readonly string[]; rows: readonly Row[]; isLastOpen: boolean };

const colors = ['var(--chart-1)', 'var(--chart-2)'];
/** The range that the current one is compared with. It is in the background, and its intervals have all ended. */
const earlier = 'Earlier';
const soFar = (name: string) => `${name} so far`;

/** The drawing of a `DayChart`, in a separate file because the chart library is a third of the first page's script. */
export function AreaChart({ height, names, rows, isLastOpen }: Props) {
  const growing = isLastOpen ? names.filter((name) => name !== earlier) : [];
  const series = names.flatMap((name, index) => {
    const color = name === earlier ? 'var(--chart-earlier)' : (colors[index % colors.length] ?? 'var(--chart-1)');
    const dashes = name === earlier ? { strokeDasharray: '5 4' } : {};
    return [{ name, color, ...dashes }, ...(growing.includes(name) ? [{ name: soFar(name), color, strokeDasharray: '1 5' }] : [])];
  });
  return (
    <MantineAreaChart
      h={height}
      data={rows.map((row, index) => ({ ...row, ...dotted(row, growing, rows.length - 1 - index) }))}
      dataKey="day"
      series={series}
      curveType="monotone"
      withLegend={names.length > 1}
      legendProps={{
        content: ({ payload = [] }) => (
          <ChartLegend
            legendPosition="top"
            payload={names.flatMap((name) => payload.filter(({ value }) => value === name))}
            series={series}
            onHighlight={() => undefined}
          />
        ),
      }}
      withDots={false}
      strokeWidth={1.75}
      fillOpacity={0.12}
      gridAxis="x"
      tickLine="none"
      xAxisProps={{ minTickGap: 48, tickMargin: 8, interval: 'preserveStartEnd' }}
      yAxisProps={{ width: 40, allowDecimals: false, tickCount: 4 }}
      valueFormatter={count}
      connectNulls={false}
      tooltipProps={{
        content: ({ label, payload }) => (
          // The dotted line begins at the last point of the other one, which is enough there.
          <ChartTooltip
            label={label}
            payload={payload.filter(({ name }) => !payload.some((other) => soFar(String(other.name)) === name && other.value !== null))}
            series={series}
            valueFormatter={count}
          />
        ),
      }}
      areaChartProps={{ accessibilityLayer: false }}
      areaProps={({ name }) => ({ isAnimationActive: false, strokeLinecap: 'round', ...(name === earlier && { fill: 'none' }) })}
    />
  );
}

/** The values of a row in the dotted lines, which connect the last two rows; the other lines end before the last row. */
function dotted(row: Row, growing: readonly string[], rowsAfter: number): Row {
  if (rowsAfter > 1) return {};
  return Object.fromEntries(growing.flatMap((name) => [[soFar(name), row[name]], ...(rowsAfter === 0 ? [[name, null]] : [])]));
}
