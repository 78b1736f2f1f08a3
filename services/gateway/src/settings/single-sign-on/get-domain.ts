import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { domainView, SignInDomain } from './domain.ts';
import type { DomainsStore } from './domains-store.ts';

export function getDomain(app: Server, { domains }: { domains: DomainsStore }) {
  app.get(
    '/v2/settings/domains/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getDomain',
        summary: 'Get a domain of single sign-on',
        params: z.object({ id: z.string() }),
        response: { 200: success(SignInDomain) },
      },
    },
    async (request) => ({
      success: true as const,
      data: domainView(await domains.get(request.principal.accountId, request.params.id)),
    }),
  );
}
