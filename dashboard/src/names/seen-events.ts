import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { accountZone, addDays, dayOf } from '../time/zone.ts';

const staleTime = 5 * 60_000;
const days = 90;
const none: readonly string[] = [];

/** The events, pages, sources or countries of recent visits, the most frequent first. */
export function useSeenTraffic(by: 'event' | 'page' | 'source' | 'country', enabled = true): readonly string[] {
  const api = useApi();
  const { data = none } = useQuery({
    queryKey: ['leadpulse', 'seen', by],
    queryFn: async ({ signal }) => {
      const from = addDays(dayOf(Date.now()), -days);
      const query = { from, timezone: accountZone(), interval: 'month' as const, by };
      const { breakdown } = await responseData(api.GET('/v2/leadpulse/analytics', { params: { query }, signal }));
      return breakdown?.items.map(({ value }) => value) ?? [];
    },
    staleTime,
    enabled,
  });
  return data;
}

/** The names of events that visitors had lately, the most frequent first. */
export const useSeenEvents = () => useSeenTraffic('event');

/** The properties of the latest events of a name, each with its values. */
export function useSeenProperties(event: string): ReadonlyMap<string, readonly string[]> {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['leadpulse', 'seen properties', event],
    queryFn: async ({ signal }) => {
      const { items } = await responseData(api.GET('/v2/leadpulse/events', { params: { query: { event, limit: 50 } }, signal }));
      const found = new Map<string, Set<string>>();
      for (const { properties } of items)
        for (const [name, value] of Object.entries(properties ?? {})) {
          if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
          found.set(name, (found.get(name) ?? new Set()).add(String(value)));
        }
      return new Map([...found].map(([name, values]) => [name, [...values]]));
    },
    staleTime,
    enabled: event.trim() !== '',
    // An unknown name has no properties to suggest.
    retry: false,
  });
  return data ?? new Map();
}
