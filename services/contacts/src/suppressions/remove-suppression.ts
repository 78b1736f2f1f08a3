import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Suppress } from './suppress.ts';

export function removeSuppression(app: Server, { suppress, transact }: { suppress: Suppress; transact: Transact }) {
  app.delete(
    '/v2/contacts/suppressions/:id',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'removeSuppression',
        summary: 'Remove a suppression',
        description: 'Contacts with this address or domain can be emailed again if they consent.',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { id } = request.params;
        await suppress.remove(tx, request.principal.accountId, id);
        return { status: 200, data: { id, deleted: true } };
      }),
  );
}
