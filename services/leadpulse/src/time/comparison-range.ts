import { DateTime } from 'luxon';
import type { Range } from '../rollups/rollups-store.ts';

export const comparisonKinds = ['previous', 'year'] as const;
export type ComparisonKind = (typeof comparisonKinds)[number];

/**
 * The range to compare with: the preceding one of the same length, or the same one a year earlier. Whole days of the time zone
 * are moved by days of the calendar, so that a change to daylight saving time does not shift them.
 */
export function comparisonRange({ from, to }: Range, kind: ComparisonKind, timezone: string): Range {
  const [start, end] = [DateTime.fromJSDate(from, { zone: timezone }), DateTime.fromJSDate(to, { zone: timezone })];
  if (kind === 'year') return { from: start.minus({ years: 1 }).toJSDate(), to: end.minus({ years: 1 }).toJSDate() };
  const isWholeDays = [start, end].every((at) => at.equals(at.startOf('day')));
  if (!isWholeDays) return { from: new Date(2 * from.getTime() - to.getTime()), to: from };
  const days = Math.round(end.startOf('day').diff(start.startOf('day'), 'days').days);
  return { from: start.minus({ days }).toJSDate(), to: from };
}
