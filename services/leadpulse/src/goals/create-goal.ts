import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { CreateGoalBody, Goal, newGoal } from './goal.ts';
import type { GoalsStore } from './goals-store.ts';

export function createGoal(app: Server, { goals, transact }: { goals: GoalsStore; transact: Transact }) {
  app.post(
    '/v2/leadpulse/goals',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'createGoal',
        summary: 'Create a goal',
        description:
          'A goal is an event or page that visitors should reach, with an optional value. Its conversions are counted from events, including those from before it was created.',
        body: CreateGoalBody,
        response: { 201: success(Goal) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const goal = newGoal(request.body, new Date());
        await goals.insert(tx, request.principal.accountId, goal);
        return { status: 201, data: goal, location: `/v2/leadpulse/goals/${goal.id}`, etag: etagOf(goal) };
      }),
  );
}
