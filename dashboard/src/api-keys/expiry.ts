import { timeAt } from '../time/zone.ts';

/** The lifetimes of a new key in days; `date` asks for a day. */
export const lifetimes = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a date' },
];

const dayMs = 24 * 60 * 60 * 1_000;

/** When a key with this lifetime expires (ISO 8601); null: never. A day (YYYY-MM-DD) ends at its last second in the account's zone. */
export function expiryOf(lifetime: string, day: string, now: number): string | null {
  if (lifetime === 'never') return null;
  if (lifetime === 'date') return timeAt(`${day}T23:59:59`);
  return new Date(now + Number(lifetime) * dayMs).toISOString();
}
