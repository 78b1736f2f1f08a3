const dayMs = 24 * 60 * 60 * 1_000;
const day = /(?<!\d)20\d\d-[01]\d-[0-3]\d(?!\d)/g;

/**
 * The same value, some whole days older: every date, and every date in a text or key. Whole days, because counters are kept by day and
 * hour. Times in other formats would stay; the fixtures have none. Dates that mean always or never stay, too.
 */
export function older(value: unknown, days: number): unknown {
  if (days === 0) return value;
  if (typeof value === 'string')
    return value.replace(day, (text) =>
      daysBefore(new Date(`${text}T00:00:00Z`), days)
        .toISOString()
        .slice(0, 10),
    );
  if (value instanceof Date) return isOfOurTime(value) ? daysBefore(value, days) : value;
  if (Array.isArray(value)) return value.map((item) => older(item, days));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [older(key, days), older(member, days)]));
}

const isOfOurTime = (date: Date) => date.getUTCFullYear() >= 2000 && date.getUTCFullYear() < 2100;

const daysBefore = (date: Date, days: number) => new Date(date.getTime() - days * dayMs);

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
