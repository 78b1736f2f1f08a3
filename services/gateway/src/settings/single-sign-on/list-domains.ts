import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { domainView, SignInDomain } from './domain.ts';
import type { DomainsStore } from './domains-store.ts';

type Deps = { domains: DomainsStore; cursors: Cursors };

export function listDomains(app: Server, { domains, cursors }: Deps) {
  app.get(
    '/v2/settings/domains',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listDomains',
        summary: 'List the domains of single sign-on, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(SignInDomain) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await domains.list(request.principal.accountId, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(domainView), pagination } };
    },
  );
}
