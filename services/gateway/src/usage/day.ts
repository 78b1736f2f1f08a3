const dayMs = 24 * 60 * 60 * 1_000;

/** The UTC calendar day of a request, stamped once at admission: counter, headers and details all come from it. */
export type Day = { date: string; resetAt: number; secondsLeft: number };

export function dayOf(at: number): Day {
  const start = Math.floor(at / dayMs) * dayMs;
  const resetAt = start + dayMs;
  return { date: new Date(start).toISOString().slice(0, 10), resetAt, secondsLeft: Math.ceil((resetAt - at) / 1_000) };
}
