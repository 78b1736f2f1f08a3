import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { type IdentitySecrets, newIdentitySecret } from './identity-secret.ts';
import { CreateSiteBody, newSite, SiteWithSecret, viewOfSite } from './site.ts';
import type { SitesStore } from './sites-store.ts';

export function createSite(app: Server, { sites, secrets, transact }: { sites: SitesStore; secrets: IdentitySecrets; transact: Transact }) {
  app.post(
    '/v2/leadpulse/sites',
    {
      config: { scope: 'leadpulse:write', outlivesGrants: true },
      schema: {
        operationId: 'createSite',
        summary: 'Create a site',
        description:
          'A site is a website whose pages send events with a publishable key. The key is not a secret: it can only send events to ' +
          '`POST /ingest/v1/events`, from pages of the origins of the site. Its requests have limits of their own and do not count in the daily quota of the account.',
        body: CreateSiteBody,
        response: { 201: success(SiteWithSecret) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const secret = newIdentitySecret();
          const site = newSite(request.principal.accountId, request.body, (id) => secrets.seal(id, secret), new Date());
          await sites.insert(tx, site);
          const data = { ...viewOfSite(site), identity_secret: secret };
          return { status: 201, data, location: `/v2/leadpulse/sites/${site.id}`, etag: etagOf(site) };
        },
        { secret: true },
      ),
  );
}
