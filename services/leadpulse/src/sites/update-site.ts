import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { KnownSites } from '../ingest/known-sites.ts';
import { changeSite, Site, UpdateSiteBody, viewOfSite } from './site.ts';
import type { SitesStore } from './sites-store.ts';

type Deps = { sites: SitesStore; knownSites: KnownSites; transact: Transact };

export function updateSite(app: Server, { sites, knownSites, transact }: Deps) {
  app.put(
    '/v2/leadpulse/sites/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'updateSite',
        summary: 'Update a site',
        description: 'Omitted fields keep their value. Changes apply to requests from pages within ten seconds. Supports `If-Match`.',
        params: z.object({ id: z.string().describe('The ID of the site.') }),
        body: UpdateSiteBody,
        response: { 200: success(Site) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const before = await sites.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, before);
        const site = changeSite(before, request.body, new Date());
        if (site !== before) await sites.update(tx, site);
        tx.afterCommit(() => knownSites.forget(site.publishable_key));
        return { status: 200, data: viewOfSite(site), etag: etagOf(site) };
      }),
  );
}
