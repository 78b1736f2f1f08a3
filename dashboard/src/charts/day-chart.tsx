import { VisuallyHidden } from '@mantine/core';
import { lazy, Suspense, useDeferredValue } from 'react';
import { Outline } from '../api/outline.tsx';
import { count } from '../numbers/format-number.ts';
import { dayLabel, zoned } from '../time/zone.ts';
import classes from './day-chart.module.css';
import { type Interval, isUnfinished } from './interval.ts';
import { loadChart } from './load-chart.ts';

type Props = {
  label: string;
  names: readonly string[];
  days: readonly { day: string; values: readonly number[] }[];
  /** The length of the intervals; days by default. */
  interval?: Interval;
  /** The zone of the days; that of the account by default. */
  timeZone?: string;
  /** The values are levels, such as the size of a segment, and not counts that grow until their interval ends. */
  areLevels?: boolean;
};

const height = 240;
const AreaChart = lazy(loadChart);
const outline = <Outline of="the chart" shape="chart" height={height} />;
const formats: Record<Interval, (at: string) => string> = {
  hour: zoned({ hour: 'numeric', minute: '2-digit', hourCycle: 'h23' }),
  day: dayLabel,
  week: dayLabel,
};
/** Hours of several days are told apart by their day. */
const hourOfDay = zoned({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', hourCycle: 'h23' });
const maxHoursOfDay = 25;
const headings: Record<Interval, string> = { hour: 'Hour', day: 'Day', week: 'Week from' };

/** Values per day, or per other interval, as a chart, and as a table for screen readers. */
export function DayChart({ label, names, days, interval = 'day', timeZone, areLevels = false }: Props) {
  // Drawn after the page around it, in pieces, so that the page stays responsive.
  const isDrawn = useDeferredValue(true, false);
  const last = days.at(-1);
  const isOpen = !areLevels && last !== undefined && isUnfinished(last.day, interval, timeZone);
  const format = interval === 'hour' && days.length > maxHoursOfDay ? hourOfDay : formats[interval];
  const rows = days.map(({ day, values }) => ({
    day: format(day),
    ...Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])),
  }));
  return (
    <>
      <div className={classes.chart} aria-hidden>
        <Suspense fallback={outline}>
          {isDrawn ? <AreaChart height={height} names={names} rows={rows} isLastOpen={isOpen} /> : outline}
        </Suspense>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">{headings[interval]}</th>
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
                <th scope="row">
                  {format(day)}
                  {isOpen && day === last.day && ' so far'}
                </th>
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
