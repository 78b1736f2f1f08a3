import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { Site, viewOfSite } from './site.ts';
import type { SitesStore } from './sites-store.ts';

export function getSite(app: Server, { sites }: { sites: SitesStore }) {
  app.get(
    '/v2/leadpulse/sites/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getSite',
        summary: 'Get a site',
        params: z.object({ id: z.string().describe('The ID of the site.') }),
        response: { 200: success(Site) },
      },
    },
    async (request, reply) => {
      const site = await sites.get(request.principal.accountId, request.params.id);
      reply.header('etag', etagOf(site));
      return { success: true as const, data: viewOfSite(site) };
    },
  );
}
