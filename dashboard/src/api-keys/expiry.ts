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

/** When a key with this lifetime expires (ISO 8601); null: never. A day (YYYY-MM-DD) ends at its last second in local time. */
export function expiryOf(lifetime: string, day: string, now: number): string | null {
  if (lifetime === 'never') return null;
  if (lifetime === 'date') return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(lifetime) * dayMs).toISOString();
}

/** The local date as YYYY-MM-DD, for date inputs. */
export function dayOf(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
