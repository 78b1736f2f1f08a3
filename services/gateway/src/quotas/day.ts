const dayMs = 24 * 60 * 60 * 1_000;

/** The UTC day of a request, determined once at admission; the counter, headers and error details all use it. */
export type Day = { date: string; resetAt: number; secondsLeft: number };

export function dayOf(at: number): Day {
  const start = Math.floor(at / dayMs) * dayMs;
  const resetAt = start + dayMs;
  if (latest.start !== start) latest = { start, date: new Date(start).toISOString().slice(0, 10) };
  return { date: latest.date, resetAt, secondsLeft: Math.ceil((resetAt - at) / 1_000) };
}

/** Caches the formatted date, which is the same for all requests of a day. */
let latest = { start: Number.NaN, date: '' };
