import assert from 'node:assert/strict';

const day = 86_400_000;

/** The most recent last Sunday of October or March: a day of 25 or 23 hours in Berlin. */
export function lastClockChange(now = new Date()): { date: string; hours: number } {
  const changes = [now.getUTCFullYear(), now.getUTCFullYear() - 1].flatMap((year) =>
    ([10, 3] as const).map((month) => {
      const end = new Date(Date.UTC(year, month, 0));
      return { at: new Date(end.getTime() - end.getUTCDay() * day), hours: month === 10 ? 25 : 23 };
    }),
  );
  const [last] = changes.filter(({ at }) => at.getTime() + 2 * day < now.getTime()).sort((a, b) => b.at.getTime() - a.at.getTime());
  assert.ok(last);
  return { date: last.at.toISOString().slice(0, 10), hours: last.hours };
}
