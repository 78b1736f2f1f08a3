import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { contactId, runId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { StepId } from '../workflows/step-id.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { endedStates, openStates } from './run.ts';
import type { RunAction, RunActions } from './run-actions.ts';
import { RunState } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

/** All runs of a request change in one transaction, which must stay well below the time limit of MongoDB. */
const maxRuns = 50;

const ActionBody = z
  .strictObject({
    action: z.enum(['cancel', 'retry', 'skip', 'rerun_from']),
    step_id: StepId.optional().describe('With `rerun_from`: the step to continue from.'),
    filter: z
      .strictObject({
        status: renamedFrom('state', RunState.optional().describe('Default: the open runs; the failed runs for `retry` and `rerun_from`.')),
        step_id: StepId.optional().describe('Runs that are at this step, or ended there. Required for `skip`.'),
        contact_ids: z.array(contactId.min(1).max(100)).min(1).max(maxRuns).optional(),
        started_before: z.iso.datetime({ offset: true }).optional(),
      })
      .default({})
      .describe('Which runs of the workflow; all conditions must match.'),
  })
  .refine(({ action, step_id }) => (action === 'rerun_from') === (step_id !== undefined), {
    path: ['step_id'],
    message: 'expected with `rerun_from`, and only then',
  })
  .refine(({ action, filter }) => action !== 'skip' || filter.step_id !== undefined, {
    path: ['filter', 'step_id'],
    message: 'expected with `skip`: the step to skip',
  });

const Acted = z.object({
  changed: z.number().int().describe('The runs that changed.'),
  failed: z
    .array(z.object({ run_id: runId, error: z.object({ code: z.string(), message: z.string() }) }))
    .describe('The runs for which the action failed.'),
  has_more: z
    .boolean()
    .describe(`Whether more runs match: at most ${maxRuns} change in one request, oldest first. Repeat it for the rest.`),
});

type Deps = { workflows: WorkflowsStore; runs: RunsStore; act: RunActions; transact: Transact };

const statesOf: Record<RunAction['type'], readonly string[]> = {
  cancel: openStates,
  skip: openStates,
  retry: ['failed'],
  rerun_from: endedStates,
};

export function actOnRuns(app: Server, { workflows, runs, act, transact }: Deps) {
  app.post(
    '/v2/workflows/:id/runs/actions',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'actOnWorkflowRuns',
        summary: 'Cancel, retry, skip or rerun many runs',
        description: `Applies the action to up to ${maxRuns} runs that match a filter.`,
        params: z.object({ id: workflowId }),
        body: ActionBody,
        response: { 200: success(Acted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { action: type, step_id, filter } = request.body;
        const workflow = await workflows.get(accountId, request.params.id, tx);
        const allowed = statesOf[type];
        const { status = type === 'retry' || type === 'rerun_from' ? 'failed' : undefined } = filter;
        if (status !== undefined && !allowed.includes(status)) {
          throw invalid('/filter/status', 'invalid_value', `${type} applies to runs that are ${allowed.join(' or ')}.`);
        }
        const action: RunAction = type === 'rerun_from' ? { type, step_id: step_id ?? '' } : { type };
        const found = await runs.matching(tx, accountId, workflow.id, {
          ...filter,
          states: status ? [status] : allowed,
          limit: maxRuns + 1,
        });
        const failed: z.output<typeof Acted>['failed'] = [];
        for (const run of found.slice(0, maxRuns)) {
          try {
            await act(tx, request.principal, run, action);
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            failed.push({ run_id: run.id, error: { code: error.code, message: error.message } });
          }
        }
        const tried = Math.min(found.length, maxRuns);
        return { status: 200, data: { changed: tried - failed.length, failed, has_more: found.length > maxRuns } };
      }),
  );
}
