import { ApiError } from '@mp/contracts/errors';
import { allowsOrigin } from '@mp/contracts/origin';
import { addressOf, networkOf } from '@mp/service-kit/client-address';
import type { Suspended } from '@mp/service-kit/suspensions';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredSite } from '../sites/site.ts';
import type { KnownSites } from './known-sites.ts';

export type AdmitPageRequest = ReturnType<typeof createAdmitPageRequest>;

type Deps = { knownSites: KnownSites; suspended: Suspended };

/** The limits of the requests of one address, in each process. */
export const perAddress = { perSecond: 50, burst: 500, max: 50_000 };

/** A key that has to be looked up costs an address as much as this many other requests, so that guessing is slow. */
const lookupCost = 5;

/** What counts as one client in the limits for pages: an IPv4 address or an IPv6 /48, of which one person can have all addresses. */
export const clientOf = (request: FastifyRequest): string => networkOf(addressOf(request), 48);

/**
 * Admits a request of a page before its body is read, and returns its site. The response may be read by the page only if its
 * origin is one of the site's.
 */
export function createAdmitPageRequest({ knownSites, suspended }: Deps) {
  const requests = createTokenBuckets(perAddress);
  return async function admitPageRequest(request: FastifyRequest, reply: FastifyReply, key: string): Promise<StoredSite> {
    reply.header('vary', 'origin').header('cache-control', 'no-store');
    const wait = requests.take(clientOf(request), knownSites.needsLookup(key) ? lookupCost : 1);
    if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many requests from this address; retry later.', { retryAfter: wait });
    const site = await knownSites.find(key);
    if (!site) throw new ApiError('UNAUTHORIZED', 'Send the publishable key of a site as ?key=mp_pub_….');
    const { origin } = request.headers;
    if (origin === undefined || !allowsOrigin(site.origins, origin))
      throw new ApiError('FORBIDDEN', 'The origin of this page is not one of the origins of the site; add it to the site.');
    reply.header('access-control-allow-origin', origin);
    if (suspended.has(site.account_id)) throw new ApiError('ACCOUNT_SUSPENDED', 'The account of this site is suspended.');
    return site;
  };
}
