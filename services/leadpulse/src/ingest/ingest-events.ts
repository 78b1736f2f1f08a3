import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { CountryOf } from '../countries/country-file.ts';
import { admitEvent } from '../events/admit-event.ts';
import { type Event, excludedNetwork, isRejection, type Rejection } from '../events/event.ts';
import { isExcluded } from '../events/excluded-networks.ts';
import { eventOrRejection, trackedOf } from '../events/track-results.ts';
import type { WriteBuffer } from '../events/write-buffer.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { IdentitySecrets } from '../sites/identity-secret.ts';
import { identityIn, type TokenIdentity } from '../sites/identity-token.ts';
import type { StoredSite } from '../sites/site.ts';
import type { SitesStore } from '../sites/sites-store.ts';
import type { AdmitPageRequest } from './admit-page-request.ts';
import type { LinkTokensStore } from './link-tokens-store.ts';
import { IngestBody, type PageEvent, pageEventOf } from './page-event.ts';
import type { SaltsStore } from './salts-store.ts';
import type { SiteLimits } from './site-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    site: StoredSite | undefined;
  }
}

type Deps = {
  admitPageRequest: AdmitPageRequest;
  writeBuffer: WriteBuffer;
  sites: SitesStore;
  salts: SaltsStore;
  linkTokens: LinkTokensStore;
  secrets: IdentitySecrets;
  settings: SettingsStore;
  countryOf: CountryOf;
  limits: SiteLimits;
};

export const maxIngestBytes = 256 * 1024;

const Query = z.strictObject({ key: z.string().max(100) });

/** `POST /ingest/v1/events?key=mp_pub_…`: events of the pages of a site, from browsers on the origins of the site. */
export function ingestEvents(app: Server, deps: Deps) {
  const { admitPageRequest, writeBuffer, sites, salts, linkTokens, secrets, settings, countryOf, limits } = deps;
  app.decorateRequest('site', undefined);
  app.options('/ingest/v1/events', { schema: { hide: true } }, async (_, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  );

  app.post(
    '/ingest/v1/events',
    {
      config: { bodyLimit: maxIngestBytes, itemsOnTheirOwn: true },
      bodyLimit: maxIngestBytes,
      schema: { hide: true, querystring: Query, body: IngestBody },
      onRequest: async (request, reply) => {
        const { key } = Query.catch({ key: '' }).parse(request.query);
        request.site = await admitPageRequest(request, reply, key);
        // Browsers send text/plain, because application/json would cost a preflight request. The body is JSON.
        if (request.headers['content-type']?.startsWith('text/plain')) request.headers['content-type'] = 'application/json';
      },
    },
    async (request, reply) => {
      const { site } = request;
      if (!site) throw new Error('The request was not admitted.');
      const accountId = site.account_id;
      const now = new Date();
      const { sent_at, visitor_id, dropped = 0, events: items } = request.body;
      const [address, userAgent] = [addressOf(request), request.headers['user-agent'] ?? ''];
      const visitor = visitor_id ?? (await salts.visitorOf(site.id, address, userAgent, now.getTime()));
      const secret = items.some(hasToken) ? secrets.unseal(site.id, site.sealed_secret) : undefined;

      const chosen = await settings.cached(accountId);
      const receipt = { now, maxDays: chosen.retention_days, countryOf };
      const isInternal = isExcluded(address, chosen);

      async function made(site: StoredSite, item: unknown) {
        if (isInternal) return excludedNetwork('/');
        const page = pageEventOf(item);
        if ('code' in page) return page;
        const { token, context, ...fields } = page;
        const named = await identityOf(page, secret, now.getTime());
        if ('code' in named) return named;
        const { identity, once } = named;
        const by = typeof visitor === 'string' ? visitor : '';
        if (once && !(await linkTokens.use(accountId, once, by))) return usedToken;
        const seen = { ...context, user_agent: userAgent.slice(0, 1_024), ip: address };
        const whole = { ...fields, ...identity, visitor_id: visitor, sent_at, context: seen };
        return admitEvent(ofSite(site, eventOrRejection(accountId, whole, receipt)), chosen);
      }

      const unstored = { ...(isInternal && { excluded_events: items.length }), ...(dropped > 0 && { dropped_events: dropped }) };
      if (Object.keys(unstored).length > 0)
        await sites
          .noteUnstored(accountId, site.id, unstored)
          .catch((err: unknown) => request.log.warn({ err }, 'cannot count the excluded or dropped events of a site'));
      const all = await Promise.all(items.map((item) => made(site, item)));
      const good = all.flatMap((one) => (isRejection(one) ? [] : [{ event: one }]));
      if (good.length > 0) await limits.enforce(site, good.length, now.getTime());
      const stored = good.length > 0 ? await writeBuffer.store(good) : [];
      if (good.length > 0) await limits.note(site, now.getTime());
      return reply.code(202).send({ success: true, data: trackedOf(all, stored) });
    },
  );
}

/**
 * The message IDs of a site are a namespace of their own: everyone has its key, and could otherwise use the message ID of an
 * event that the server has yet to send.
 */
export function ofSite({ id }: StoredSite, event: Event | Rejection): Event | Rejection {
  if (isRejection(event) || event.message_id === event.id) return event;
  return { ...event, message_id: `page ${id} ${event.message_id}` };
}

const hasToken = (item: unknown) => typeof item === 'object' && item !== null && 'token' in item;

const usedToken: Rejection = {
  code: 'used_token',
  path: '/token',
  message: '/token: this link has already identified another visitor',
};

/** The contact's identifiers in the token of an event; none without a token. */
async function identityOf({ event, token }: PageEvent, secret: string | undefined, now: number): Promise<TokenIdentity | Rejection> {
  if (token === undefined)
    return event === '$identify'
      ? { code: 'token_required', path: '/token', message: '/token: $identify needs a signed token' }
      : { identity: {} };
  const identity = await identityIn(token, secret ?? '', now);
  return typeof identity === 'string' ? { code: 'invalid_token', path: '/token', message: `/token: ${identity}` } : identity;
}
