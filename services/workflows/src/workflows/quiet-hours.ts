import type { QuietHours } from '@mp/contracts/quiet-hours';
import { dayIn, firstInstantOf } from '@mp/rules/calendar';
import { dayMs } from '@mp/rules/duration';
import { msOfDay } from './local-time.ts';

/** When the quiet hours at `now` end; undefined outside of them. */
export function quietUntil(now: Date, { from, to }: Pick<QuietHours, 'from' | 'to'>, zone: string): Date | undefined {
  const today = dayIn(zone, now.getTime());
  const at = (day: number, time: string) => firstInstantOf(day + msOfDay(time), zone);
  const spans =
    to > from
      ? [[today, today]]
      : [
          [today - dayMs, today],
          [today, today + dayMs],
        ];
  for (const [first = today, last = today] of spans) {
    const until = at(last, to);
    // When the clocks go forward over the minutes between two quiet spans, the second follows at once.
    if (now.getTime() >= at(first, from) && now.getTime() < until)
      return quietUntil(new Date(until), { from, to }, zone) ?? new Date(until);
  }
  return undefined;
}
