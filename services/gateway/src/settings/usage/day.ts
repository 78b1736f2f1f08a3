const dayMs = 24 * 60 * 60 * 1_000;

/** The UTC calendar day of a request, stamped once at admission: counter, headers and details all come from it. */
export type Day = { date: string; resetAt: number; secondsLeft: number };

export function dayOf(at: number): Day {
  const start = Math.floor(at / dayMs) * dayMs;
  const resetAt = start + dayMs;
  if (latest.start !== start) latest = { start, date: new Date(start).toISOString().slice(0, 10) };
  return { date: latest.date, resetAt, secondsLeft: Math.ceil((resetAt - at) / 1_000) };
}

/** Every request asks for the same day all day long. */
let latest = { start: Number.NaN, date: '' };
