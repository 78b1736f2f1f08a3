import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { Goal } from './goal.ts';
import { type GoalsStore, ListGoalsQuery } from './goals-store.ts';

export function listGoals(app: Server, { goals }: { goals: GoalsStore }) {
  app.get(
    '/v2/leadpulse/goals',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listGoals',
        summary: 'List goals',
        description: 'Newest first.',
        querystring: ListGoalsQuery,
        response: { 200: page(Goal) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await goals.list(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items, pagination } };
    },
  );
}
