const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses between the attempts of a delivery: eight attempts over about 28 hours. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** The longest `Retry-After` that is respected. */
const maxRetryAfterMs = 24 * hour;

/** Up to a tenth longer, so that deliveries that failed together are not retried together. */
const jitter = 0.1;

/** When the next attempt is due after this many, or null after the last one. */
export function nextAttemptAt(tries: number, now: Date, retryAfterMs = 0, random = Math.random()): Date | null {
  const pause = pauses[tries - 1];
  if (pause === undefined) return null;
  return new Date(now.getTime() + Math.max(pause * (1 + jitter * random), Math.min(retryAfterMs, maxRetryAfterMs)));
}

/** Milliseconds in a `Retry-After` header: seconds or a date. 0 for anything else. */
export function retryAfterOf(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}
