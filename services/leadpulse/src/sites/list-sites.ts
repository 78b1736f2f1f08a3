import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { Site, viewOfSite } from './site.ts';
import { ListSitesQuery, type SitesStore } from './sites-store.ts';

export function listSites(app: Server, { sites }: { sites: SitesStore }) {
  app.get(
    '/v2/leadpulse/sites',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listSites',
        summary: 'List sites',
        description: 'Newest first.',
        querystring: ListSitesQuery,
        response: { 200: page(Site) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await sites.list(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(viewOfSite), pagination } };
    },
  );
}
