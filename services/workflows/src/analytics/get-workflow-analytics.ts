import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import { newId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { CountsStore } from '../counts/counts-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { keyed, SecondsToGoal, StepCounts, secondsToGoal, stepCounts, toGoalText } from './step-counts.ts';

const Count = z.number().int();

const Analytics = z
  .object({
    workflow_id: workflowId,
    counts: z
      .object({ entered: Count, open: Count, completed: Count, converted: Count, exited: Count, failed: Count, cancelled: Count })
      .describe('`entered` is the sum of the other counts.'),
    seconds_to_goal: SecondsToGoal.nullable().describe(`The time ${toGoalText}, of all converted runs; null if there are none.`),
    steps: z.array(StepCounts),
    as_of: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowAnalytics' });

type Deps = { workflows: WorkflowsStore; counts: CountsStore; mongo: Mongo; clock: Clock };

/** Exact, at a cost that does not depend on the number of runs. */
export function getWorkflowAnalytics(app: Server, { workflows, counts, mongo, clock }: Deps) {
  app.get(
    '/v2/workflows/:id/analytics',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowAnalytics',
        summary: 'Get the analytics of a workflow',
        description:
          'Counts of runs by state and step, over all versions, exact at the time of the request. Steps that only earlier versions have follow those of the current version. ' +
          'The contacts at a step are those of the runs that `GET /v2/workflows/:id/runs` lists with `step_id` and `state=waiting`.',
        params: z.object({ id: workflowId }),
        querystring: noQuery,
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const origin = { correlationId: newId('request'), causationId: null };
      const byStep = await mongo.transaction(origin, (tx) => counts.totals(tx, accountId, workflow.id));
      const whole = byStep.get('') ?? {};
      const byState = keyed(whole, 'now');
      const of = (...states: string[]) => states.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0);
      const present = workflow.steps.map(({ id }) => id);
      const gone = [...byStep.keys()].filter((id) => id !== '' && !present.includes(id)).sort();
      return {
        success: true as const,
        data: {
          workflow_id: workflow.id,
          counts: {
            entered: of(...byState.keys()),
            open: of('active', 'waiting'),
            completed: of('completed'),
            converted: of('converted'),
            exited: of('exited'),
            failed: of('failed'),
            cancelled: of('cancelled'),
          },
          seconds_to_goal: secondsToGoal(whole),
          steps: [...present, ...gone].map((id) => stepCounts(id, byStep.get(id))),
          as_of: clock().toISOString(),
        },
      };
    },
  );
}
