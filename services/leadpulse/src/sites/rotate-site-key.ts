import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { KnownSites } from '../ingest/known-sites.ts';
import { newPublishableKey } from './publishable-key.ts';
import { Site, viewOfSite } from './site.ts';
import type { SitesStore } from './sites-store.ts';

type Deps = { sites: SitesStore; knownSites: KnownSites; transact: Transact };

export function rotateSiteKey(app: Server, { sites, knownSites, transact }: Deps) {
  app.post(
    '/v2/leadpulse/sites/:id/rotate-key',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'rotateSiteKey',
        summary: 'Replace the publishable key of a site',
        description:
          'Pages with the previous key stop sending events within ten seconds, until they have the new key. ' +
          'Events that were received are kept, and so is the identity secret.',
        params: z.object({ id: z.string().describe('The ID of the site.') }),
        body: z.strictObject({}),
        response: { 200: success(Site) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const before = await sites.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, before);
        const site = { ...before, publishable_key: newPublishableKey(), revision: before.revision + 1, updated_at: new Date() };
        await sites.update(tx, site);
        tx.afterCommit(() => knownSites.forget(before.publishable_key));
        return { status: 200, data: viewOfSite(site), etag: etagOf(site) };
      }),
  );
}
