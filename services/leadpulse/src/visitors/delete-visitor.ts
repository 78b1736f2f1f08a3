import { Deleted, success } from '@mp/contracts/envelope';
import { visitorId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { VisitorDeletionsStore } from './visitor-deletions-store.ts';
import type { VisitorsStore } from './visitors-store.ts';

type Deps = { visitors: VisitorsStore; deletions: VisitorDeletionsStore; transact: Transact; onDeleted: () => void };

export function deleteVisitor(app: Server, { visitors, deletions, transact, onDeleted }: Deps) {
  app.delete(
    '/v2/leadpulse/visitors/:id',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'deleteVisitor',
        summary: 'Delete a visitor',
        description:
          'Deletes the visitor immediately, and its events and sessions within moments. Unfiltered analytics keep their counts. ' +
          'A later event with the same `visitor_id` is from a new visitor. To remove a person from every service, erase the contact.',
        params: z.object({ id: visitorId.describe('The ID of the visitor.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { id } = await visitors.get(accountId, request.params.id, tx);
        await visitors.remove(tx, accountId, id);
        await deletions.add(tx, accountId, id);
        tx.afterCommit(onDeleted);
        return { status: 200, data: { id, deleted: true } };
      }),
  );
}
