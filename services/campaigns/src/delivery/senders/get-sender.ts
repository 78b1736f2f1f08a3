import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Sender } from './sender.ts';
import type { SendersStore } from './senders-store.ts';

export function getSender(app: Server, { senders }: { senders: SendersStore }) {
  app.get(
    '/v2/campaigns/senders/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getSender',
        summary: 'Get a sending domain',
        params: z.object({ id: z.string().describe('The ID of the sender.') }),
        response: { 200: success(Sender) },
      },
    },
    async (request) => ({ success: true as const, data: await senders.get(request.principal.accountId, request.params.id) }),
  );
}
