import '@mantine/charts/styles.css';
import { AreaChart as MantineAreaChart } from '@mantine/charts';
import { count } from '../numbers/format-number.ts';

type Props = { height: number; names: readonly string[]; rows: Record<string, unknown>[] };

const colors = ['indigo.6', 'teal.6'];
/** The series that the first one is compared with is in the background. */
const colorOf = (name: string, index: number) => (name === 'Earlier' ? 'gray.5' : (colors[index % colors.length] ?? 'indigo.6'));

/** The drawing of a `DayChart`, in a separate file because the chart library is a third of the first page's script. */
export const AreaChart = ({ height, names, rows }: Props) => (
  <MantineAreaChart
    h={height}
    data={rows}
    dataKey="day"
    series={names.map((name, index) => ({ name, color: colorOf(name, index) }))}
    curveType="monotone"
    withLegend={names.length > 1}
    withDots={false}
    gridAxis="x"
    tickLine="none"
    valueFormatter={count}
    areaChartProps={{ accessibilityLayer: false }}
    areaProps={{ isAnimationActive: false }}
  />
);
