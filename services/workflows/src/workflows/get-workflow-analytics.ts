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
      .object({ entered: Count, open: Count, completed: Count, converted: Count, exited: Count, failed: Count, cancelled: Count })
      .describe('`entered` is the sum of the other counts.'),
    steps: z.array(
      z.object({
        step_id: z.string(),
        waiting: Count.describe('Runs that are currently at the step.'),
        done: Count.describe('How often the step completed, or a branch was taken.'),
        skipped: Count.describe('How often the step was refused or failed.'),
        failed: Count.describe('Runs that failed at the step and can be retried.'),
      }),
    ),
    as_of: z.iso.datetime(),
  })
  .meta({ id: 'WorkflowAnalytics' });

/** Counts on each request: exact, at a cost that grows with the runs of the workflow. */
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
        summary: 'Get the analytics of a workflow',
        description:
          'Counts of runs by state and step, over all versions. Steps that only earlier versions have follow those of the current version.',
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
            converted: of('converted'),
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
