/** How long a new key lasts; `date` asks for a day. */
export const lifetimes = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a day of my choice' },
];

const dayMs = 24 * 60 * 60 * 1_000;

/** When a key of this lifetime ends; null: never. A chosen day (YYYY-MM-DD) counts to its last second, here. */
export function expiryOf(lifetime: string, day: string, now: number): string | null {
  if (lifetime === 'never') return null;
  if (lifetime === 'date') return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(lifetime) * dayMs).toISOString();
}

/** Today in this place, as a date field wants it. */
export function dayOf(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
