import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Sender } from './sender.ts';
import type { SendersStore } from './senders-store.ts';

export function listSenders(app: Server, { senders }: { senders: SendersStore }) {
  app.get(
    '/v2/campaigns/senders',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listSenders',
        summary: 'List sending domains, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Sender) },
      },
    },
    async (request, reply) => {
      const found = await senders.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
