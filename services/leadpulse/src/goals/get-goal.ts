import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { Goal } from './goal.ts';
import type { GoalsStore } from './goals-store.ts';

export function getGoal(app: Server, { goals }: { goals: GoalsStore }) {
  app.get(
    '/v2/leadpulse/goals/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getGoal',
        summary: 'Get a goal',
        params: z.object({ id: z.string().describe('The ID of the goal.') }),
        response: { 200: success(Goal) },
      },
    },
    async (request, reply) => {
      const goal = await goals.get(request.principal.accountId, request.params.id);
      reply.header('etag', etagOf(goal));
      return { success: true as const, data: goal };
    },
  );
}
