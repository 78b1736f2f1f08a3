import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { statuses } from '../contacts/contact-search.ts';
import type { Contact } from '../contacts/contacts.ts';

const maxValues = 50;
/** The values of these are known, whatever the contacts have. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  status: statuses,
  'consent.email': ['subscribed', 'unsubscribed', 'pending'],
  'consent.sms': ['subscribed', 'unsubscribed', 'pending'],
};
/** Different for almost every contact, so suggestions would not help. */
const individual = new Set(['email', 'phone', 'external_id', 'first_name', 'last_name', 'address.line1', 'address.line2']);
const none: readonly string[] = [];

/** Whether a field has values that several contacts share. */
export const isShared = (field: string) => !individual.has(field);

/** Values of a field, tag or attribute that contacts have, the most frequent first: those of the latest contacts and of the oldest. */
export function useSeenValues(field: string): readonly string[] {
  const api = useApi();
  const { data: contacts } = useQuery({
    queryKey: ['contacts', 'samples'],
    queryFn: async ({ signal }) => {
      const some = async (sort: '-created_at' | 'created_at') =>
        (await responseData(api.GET('/v2/contacts', { params: { query: { limit: 100, sort } }, signal }))).items;
      return distinct(await Promise.all([some('-created_at'), some('created_at')]));
    },
    staleTime: 5 * 60_000,
    enabled: !Object.hasOwn(fixed, field) && !individual.has(field),
  });
  if (individual.has(field)) return none;
  return fixed[field] ?? valuesIn(contacts ?? [], field);
}

/** Each contact of these lists once. */
export const distinct = (lists: readonly (readonly Contact[])[]): Contact[] => [
  ...new Map(lists.flat().map((contact) => [contact.id, contact])).values(),
];

/** The values of a field in these contacts, the most frequent first. */
export function valuesIn(contacts: readonly Contact[], field: string): string[] {
  const counts = new Map<string, number>();
  for (const contact of contacts) for (const value of valuesOf(contact, field.split('.'))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a, times], [b, others]) => others - times || (a < b ? -1 : 1))
    .slice(0, maxValues)
    .map(([value]) => value);
}

function valuesOf(value: unknown, [name, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, []));
  if (typeof value === 'object' && value !== null)
    return name === undefined || !Object.hasOwn(value, name)
      ? []
      : valuesOf(Object.entries(value).find(([key]) => key === name)?.[1], rest);
  const isValue = typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '');
  return isValue && name === undefined ? [String(value)] : [];
}
