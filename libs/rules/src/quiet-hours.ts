import { dayIn, firstInstantOf, msOfDay, zoneOf } from './calendar.ts';
import { dayMs } from './duration.ts';

/** Times of day such as `21:30`; `timezone` is that of contacts without one. A `from` after `to` spans midnight. */
type QuietHours = { from: string; to: string; timezone: string };

/** When the quiet hours end for a contact in this time zone; undefined outside of them. */
export function quietUntil(quiet: QuietHours | null, timezone: string | null | undefined, now: Date): Date | undefined {
  if (!quiet) return undefined;
  const zone = zoneOf(timezone, quiet.timezone);
  const today = dayIn(zone, now.getTime());
  const [from, to] = [msOfDay(quiet.from), msOfDay(quiet.to)];
  // Those that began yesterday may not have ended.
  for (const day of [today - dayMs, today]) {
    const begin = firstInstantOf(day + from, zone);
    const end = firstInstantOf(day + to + (to <= from ? dayMs : 0), zone);
    // When the clocks go forward over the minutes between two quiet spans, the second follows at once.
    if (begin <= now.getTime() && now.getTime() < end) return quietUntil(quiet, timezone, new Date(end)) ?? new Date(end);
  }
  return undefined;
}
