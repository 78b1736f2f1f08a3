import type { z } from 'zod';
import { SourceError } from '../errors.ts';
import type { Source } from '../source.ts';
import { Accounts, Events, Lists, Members, Profiles, Templates } from './types.ts';

/** A version of the API; Klaviyo keeps each for two years. */
export const revision = '2026-01-15';

const paths = {
  lists: '/api/lists?page%5Bsize%5D=10',
  profiles: '/api/profiles?additional-fields%5Bprofile%5D=subscriptions&page%5Bsize%5D=100',
  templates: '/api/templates?page%5Bsize%5D=10',
};

const eventsPath = (since: string) =>
  `/api/events?${new URLSearchParams({
    include: 'metric,profile',
    ...{ 'fields[event]': 'datetime,event_properties', 'fields[metric]': 'name', 'fields[profile]': 'email,external_id' },
    ...{ filter: `greater-or-equal(datetime,${since}T00:00:00Z)`, sort: 'datetime' },
  })}`;

/** A page at `links.next` of the one before, or the first. */
export function createClient(source: Source) {
  const followed = new Set<string>();

  async function page<Shape extends z.ZodType<{ links?: { next?: string | null | undefined } | null | undefined }>>(
    path: string,
    shape: Shape,
  ) {
    if (followed.has(path)) throw new SourceError(`Klaviyo refers from one page to the other in a circle: ${path.slice(0, 200)}.`);
    followed.add(path);
    const found = await source.get(path, shape);
    return { ...found, next: found.links?.next || null };
  }

  return {
    lists: (url: string | null) => page(url ?? paths.lists, Lists),
    profiles: (url: string | null) => page(url ?? paths.profiles, Profiles),
    members: (list: string, url: string | null) =>
      page(url ?? `/api/lists/${encodeURIComponent(list)}/relationships/profiles?page%5Bsize%5D=1000`, Members),
    events: (since: string, url: string | null) => page(url ?? eventsPath(since), Events),
    /** That of values without one. */
    async currency() {
      const { data } = await source.get('/api/accounts?fields%5Baccount%5D=preferred_currency', Accounts);
      return data[0]?.attributes.preferred_currency ?? undefined;
    },
    templates: (url: string | null) => page(url ?? paths.templates, Templates),
  };
}
