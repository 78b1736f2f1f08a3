import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { KnownSites } from '../ingest/known-sites.ts';
import type { SitesStore } from './sites-store.ts';

type Deps = { sites: SitesStore; knownSites: KnownSites; transact: Transact };

export function deleteSite(app: Server, { sites, knownSites, transact }: Deps) {
  app.delete(
    '/v2/leadpulse/sites/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'deleteSite',
        summary: 'Delete a site',
        description: 'Its key stops working within ten seconds. Events that were received are kept.',
        params: z.object({ id: z.string().describe('The ID of the site.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const site = await sites.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, site);
        await sites.remove(tx, site.account_id, site.id);
        tx.afterCommit(() => knownSites.forget(site.publishable_key));
        return { status: 200, data: { id: site.id, deleted: true } };
      }),
  );
}
