import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { Clock } from '../runs/clock.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { WorkflowsStore } from './workflows-store.ts';

const Count = z.number().int();

const Analytics = z
  .object({
    workflow_id: z.string(),
    counts: z
      .object({ entered: Count, open: Count, completed: Count, exited: Count, failed: Count, cancelled: Count })
      .describe('`entered` is the sum of the others'),
    steps: z.array(
      z.object({
        step_id: z.string(),
        waiting: Count.describe('runs that stand there now'),
        done: Count.describe('how often the step was done, a branch taken'),
        skipped: Count.describe('how often it was refused or failed'),
        failed: Count.describe('runs that failed there and can be retried'),
      }),
    ),
    as_of: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowAnalytics' });

/** Counted when it is asked: right to the moment, at a cost that grows with the runs of the one workflow. */
export function getWorkflowAnalytics(
  app: Server,
  { workflows, runs, clock }: { workflows: WorkflowsStore; runs: RunsStore; clock: Clock },
) {
  app.get(
    '/v2/workflows/:id/analytics',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowAnalytics',
        summary: 'How many entered, and how they fare at each step',
        description: 'Over all versions. Steps of earlier versions that the current one does not have follow after those it has.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const { byState, byStep } = await runs.count(accountId, workflow.id);
      const stepIds = new Set([...workflow.steps.map(({ id }) => id), ...byStep.keys()]);
      const none = { waiting: 0, done: 0, skipped: 0, failed: 0 };
      const of = (...states: string[]) => states.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0);
      return {
        success: true as const,
        data: {
          workflow_id: workflow.id,
          counts: {
            entered: of(...byState.keys()),
            open: of('active', 'waiting'),
            completed: of('completed'),
            exited: of('exited'),
            failed: of('failed'),
            cancelled: of('cancelled'),
          },
          steps: [...stepIds].map((step_id) => ({ step_id, ...none, ...byStep.get(step_id) })),
          as_of: clock().toISOString(),
        },
      };
    },
  );
}
