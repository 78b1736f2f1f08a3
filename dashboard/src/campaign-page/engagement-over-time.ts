import type { BreakdownItem } from '../campaigns/report.ts';
import { dayOf, startOfDay } from '../time/zone.ts';

const hourMs = 3_600_000;
/** Longer reports are shown by day. */
const maxHours = 72;

type Point = { day: string; values: [opens: number, clicks: number] };

/** Opens and clicks by people, by hour or by day, without gaps. Hours begin with one before the first, so that even a single hour is a line. */
export function engagementOverTime(items: readonly Pick<BreakdownItem, 'hour' | 'opened' | 'clicked'>[]): {
  interval: 'hour' | 'day';
  points: Point[];
} {
  const hours = items.flatMap(({ hour, opened, clicked }) =>
    hour === null ? [] : [{ at: Date.parse(hour), opens: opened.total.human, clicks: clicked.total.human }],
  );
  const [first, last] = [Math.min(...hours.map(({ at }) => at)), Math.max(...hours.map(({ at }) => at))];
  const interval = hours.length > 0 && (last - first) / hourMs >= maxHours ? 'day' : 'hour';
  const startOf = (at: number) => (interval === 'hour' ? at : Date.parse(startOfDay(dayOf(at))));
  const points = new Map<number, Point>();
  for (let at = interval === 'hour' ? first - hourMs : first; at <= last; at += hourMs) {
    const start = startOf(at);
    if (!points.has(start)) points.set(start, { day: new Date(start).toISOString(), values: [0, 0] });
  }
  for (const { at, opens, clicks } of hours) {
    const point = points.get(startOf(at));
    if (!point) continue;
    point.values[0] += opens;
    point.values[1] += clicks;
  }
  return { interval, points: [...points.values()] };
}
