import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { GoalsStore } from './goals-store.ts';

type Deps = { goals: GoalsStore; transact: Transact };

export function deleteGoal(app: Server, { goals, transact }: Deps) {
  app.delete(
    '/v2/leadpulse/goals/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'deleteGoal',
        summary: 'Delete a goal',
        description: 'Its events are kept.',
        params: z.object({ id: z.string().describe('The ID of the goal.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const goal = await goals.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, goal);
        await goals.remove(tx, request.principal.accountId, goal.id);
        return { status: 200, data: { id: goal.id, deleted: true } };
      }),
  );
}
