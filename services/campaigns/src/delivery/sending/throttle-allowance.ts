/** How far a throttle may run ahead of its even rate. */
const maxAheadMs = 500;

/** How many of `wanted` emails a throttle allows now, and when it allows the next one. `freeAt` is when it allowed the last next one. */
export function allowanceOf(
  { freeAt, perMinute }: { freeAt: number | undefined; perMinute: number },
  wanted: number,
  now: number,
): { count: number; freeAt: number } {
  const each = 60_000 / perMinute;
  const from = Math.max(freeAt ?? 0, now - maxAheadMs);
  const count = Math.min(wanted, from > now ? 0 : Math.floor((now - from) / each) + 1);
  return { count, freeAt: from + count * each };
}
