import { counted, share } from '../numbers/format-number.ts';

type Counts = { active: number; contacts: number; visitors: number; days: number };

/** What the number of active contacts says; without any, why there can be visitors all the same. */
export function activeRemark({ active, contacts, visitors, days }: Counts): string {
  if (active === 0 && visitors > 0) return `${counted(visitors, 'visitor')}, none known as a contact yet`;
  return `${share(Math.min(1, active / contacts))} of contacts, seen in ${days} days`;
}
