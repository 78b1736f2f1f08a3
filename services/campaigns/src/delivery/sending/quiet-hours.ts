import { dayIn, firstInstantOf } from '@mp/rules/calendar';
import { zoneOf } from '../../audience/local-time.ts';
import type { QuietHours } from '../../settings/settings.ts';

const dayMs = 86_400_000;

const msOf = (clock: string) => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
};

/** When the quiet hours end for a contact in this time zone; undefined outside of them. */
export function quietUntil(quiet: QuietHours | null, timezone: string | null | undefined, now: Date): Date | undefined {
  if (!quiet) return undefined;
  const zone = zoneOf(timezone, quiet.timezone);
  const today = dayIn(zone, now.getTime());
  const [from, to] = [msOf(quiet.from), msOf(quiet.to)];
  // Those that began yesterday may not have ended.
  for (const day of [today - dayMs, today]) {
    const begin = firstInstantOf(day + from, zone);
    const end = firstInstantOf(day + to + (to <= from ? dayMs : 0), zone);
    // When the clocks go forward over the minutes between two quiet spans, the second follows at once.
    if (begin <= now.getTime() && now.getTime() < end) return quietUntil(quiet, timezone, new Date(end)) ?? new Date(end);
  }
  return undefined;
}
