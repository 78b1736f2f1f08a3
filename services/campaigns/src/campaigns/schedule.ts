import { invalid } from '@mp/contracts/errors';

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
