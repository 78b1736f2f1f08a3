import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { changeGoal, Goal, UpdateGoalBody } from './goal.ts';
import type { GoalsStore } from './goals-store.ts';

type Deps = { goals: GoalsStore; transact: Transact };

export function updateGoal(app: Server, { goals, transact }: Deps) {
  app.put(
    '/v2/leadpulse/goals/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'updateGoal',
        summary: 'Update a goal',
        description: 'Omitted fields keep their value. Reports use the new definition for all events. Supports `If-Match`.',
        params: z.object({ id: z.string().describe('The ID of the goal.') }),
        body: UpdateGoalBody,
        response: { 200: success(Goal) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const before = await goals.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, before);
        const goal = changeGoal(before, request.body, new Date());
        if (goal !== before) await goals.replace(tx, request.principal.accountId, goal);
        return { status: 200, data: goal, etag: etagOf(goal) };
      }),
  );
}
