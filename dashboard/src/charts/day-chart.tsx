import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { VisuallyHidden } from '@mantine/core';
import { count } from '../figures/figures.ts';
import classes from './day-chart.module.css';

type Props = { label: string; names: readonly string[]; days: readonly { day: string; values: readonly number[] }[] };

const colors = ['indigo.6', 'teal.6'];
const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** Values per day as a chart, and as a table for screen readers. */
export function DayChart({ label, names, days }: Props) {
  const rows = days.map(({ day, values }) => ({
    day: short.format(new Date(day)),
    ...Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])),
  }));
  return (
    <>
      <div className={classes.chart} aria-hidden>
        <AreaChart
          h={260}
          data={rows}
          dataKey="day"
          series={names.map((name, index) => ({ name, color: colors[index % colors.length] ?? 'indigo.6' }))}
          curveType="monotone"
          withLegend={names.length > 1}
          withDots={false}
          gridAxis="x"
          tickLine="none"
          valueFormatter={count}
          areaChartProps={{ accessibilityLayer: false }}
          areaProps={{ isAnimationActive: false }}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, values }) => (
              <tr key={day}>
                <th scope="row">{short.format(new Date(day))}</th>
                {values.map((value, index) => (
                  <td key={names[index]}>{count(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}
