import { LRUCache } from 'lru-cache';
import { isPublishableKey } from '../sites/publishable-key.ts';
import type { StoredSite } from '../sites/site.ts';
import type { SitesStore } from '../sites/sites-store.ts';

const maxKnown = 10_000;
const knownMs = 10_000;

export type KnownSites = ReturnType<typeof createKnownSites>;

/** Sites by publishable key, cached for ten seconds; unknown keys are cached too. Malformed keys cost no lookup. */
export function createKnownSites(sites: Pick<SitesStore, 'byKey'>) {
  const known = new LRUCache<string, { site: StoredSite | undefined }>({ max: maxKnown, ttl: knownMs });
  return {
    async find(key: string): Promise<StoredSite | undefined> {
      if (!isPublishableKey(key)) return undefined;
      const cached = known.get(key);
      if (cached) return cached.site;
      const site = await sites.byKey(key);
      known.set(key, { site });
      return site;
    },

    /** Whether the next `find` for the key reads the database. */
    needsLookup: (key: string) => isPublishableKey(key) && !known.has(key),

    /** Drops a site that was changed by this process from the cache; others drop it when it expires. */
    forget(key: string) {
      known.delete(key);
    },
  };
}
