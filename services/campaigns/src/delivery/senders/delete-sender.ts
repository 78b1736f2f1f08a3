import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { SendersStore } from './senders-store.ts';

export function deleteSender(app: Server, { senders, transact }: { senders: SendersStore; transact: Transact }) {
  app.delete(
    '/v2/campaigns/senders/:id',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'deleteSender',
        summary: 'Remove a sending domain',
        description: 'Emails from the domain are no longer signed.',
        params: z.object({ id: z.string().describe('The ID of the sender.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        await senders.remove(tx, request.principal.accountId, request.params.id);
        return { status: 200, data: { id: request.params.id, deleted: true } };
      }),
  );
}
