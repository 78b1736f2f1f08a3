import { Email } from '@mp/contracts/contact';
import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Suppression } from './suppression.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

const ListSuppressionsQuery = z.strictObject({
  ...listQuery,
  sort: z.enum(['created_at', '-created_at']).default('-created_at'),
  email: Email.optional().describe('Also finds a suppression that keeps only the hash of the address.'),
  domain: z.string().max(253).optional(),
});

export function listSuppressions(app: Server, { suppressions }: { suppressions: SuppressionsStore }) {
  app.get(
    '/v2/contacts/suppressions',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listSuppressions',
        summary: 'List suppressions',
        description:
          'Returns addresses and domains that are never emailed. Suppressions override consent and remain after a contact is deleted.',
        querystring: ListSuppressionsQuery,
        response: { 200: page(Suppression) },
      },
    },
    async (request, reply) => {
      const found = await suppressions.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
