import { invalid } from '@mp/contracts/errors';
import type { TimezoneMode } from '../audience/local-time.ts';

const yearMs = 366 * 24 * 60 * 60 * 1_000;

/** Throws VALIDATION_ERROR unless sending can be scheduled at this time. */
export function requireFuture(at: Date, now = Date.now()) {
  if (at.getTime() > now && at.getTime() < now + yearMs) return;
  throw invalid(
    '/schedule_at',
    'out_of_range',
    'schedule_at must be in the future, at most a year ahead; to send now, use POST …/send without it.',
  );
}

/** Throws VALIDATION_ERROR for a campaign that is sent at a local time and has none. */
export function requireSchedule({ timezone_mode }: { timezone_mode: TimezoneMode }, scheduleAt: Date | undefined) {
  if (timezone_mode === 'fixed' || scheduleAt) return;
  throw invalid('/schedule_at', 'required', 'A campaign with timezone_mode recipient is sent at a local time; set schedule_at.');
}
