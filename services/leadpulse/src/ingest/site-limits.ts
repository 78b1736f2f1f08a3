import { ApiError } from '@mp/contracts/errors';
import type { Logger } from '@mp/service-kit/logger';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import type { StoredSite } from '../sites/site.ts';
import type { SitesStore } from '../sites/sites-store.ts';
import { dayMs } from '../time/quarters.ts';
import type { SiteDaysStore } from './site-days-store.ts';

/** The limits of the events of one site, in each process. */
const perSite = { perSecond: 1_000, burst: 10_000, max: 10_000 };

const noteEveryMs = 60_000;

export type SiteLimits = ReturnType<typeof createSiteLimits>;

type Deps = { sites: Pick<SitesStore, 'noteEvent'>; siteDays: SiteDaysStore; logger: Pick<Logger, 'warn'> };

/** The limits of the events of a site, shared by every way in which its pages send some. */
export function createSiteLimits({ sites, siteDays, logger }: Deps) {
  const events = createTokenBuckets(perSite);
  const noted = new Map<string, number>();
  return {
    /** Counts events of a site. Throws RATE_LIMITED or QUOTA_EXCEEDED. */
    async enforce(site: StoredSite, count: number, now: number) {
      const wait = events.take(site.id, count);
      if (wait > 0) throw new ApiError('RATE_LIMITED', 'The site sends too many events at once; retry later.', { retryAfter: wait });
      if (await siteDays.take(site, count, now)) return;
      const tomorrow = Math.ceil((dayMs - (now % dayMs)) / 1_000);
      const message = `The site has reached its maximum of ${site.max_events_per_day} events for this UTC day.`;
      throw new ApiError('QUOTA_EXCEEDED', message, { retryAfter: tomorrow });
    },

    /** Stores the times of a site's events, each site at most once a minute. */
    async note({ account_id, id }: StoredSite, now: number) {
      if ((noted.get(id) ?? 0) > now - noteEveryMs) return;
      if (noted.size > 10_000) noted.clear();
      noted.set(id, now);
      await sites
        .noteEvent(account_id, id, new Date(now))
        .catch((err: unknown) => logger.warn({ err }, 'cannot record that a site sent events'));
    },
  };
}
