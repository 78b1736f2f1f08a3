import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { entryLock } from './locks.ts';
import type { MoveRun } from './move-run.ts';
import { RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; workflows: WorkflowsStore; moveRun: MoveRun; transact: Transact };

export function retryRun(app: Server, { runs, workflows, moveRun, transact }: Deps) {
  app.post(
    '/v2/workflows/runs/:run_id/retry',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'retryWorkflowRun',
        summary: 'Retry a failed run',
        description: 'Re-enters the step at which the run failed, as a new effect, and continues from there.',
        params: z.object({ run_id: z.string() }),
        querystring: noQuery,
        body: z.strictObject({}),
        response: { 200: success(RunView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const run = await runs.get(accountId, request.params.run_id, tx);
        if (run.state !== 'failed') throw new ApiError('INVALID_STATE', `The run is ${run.state}; only failed runs can be retried.`);
        const status = await workflows.status(accountId, run.workflow_id, tx);
        if (status !== 'active')
          throw new ApiError('INVALID_STATE', `The workflow is ${status ?? 'deleted'}; runs can be retried only while it is active.`);
        const { entry } = await workflows.definition(accountId, run.workflow_id, run.version);
        const lock = entryLock(entry, run.data);
        if (entry.policy === 'after_exit' && lock !== undefined) await runs.reopen(tx, run, lock);
        const after = await moveRun(tx, run, { type: 'retry' });
        if (!after) throw new ApiError('INVALID_STATE', 'The run has just changed; retry.');
        return { status: 200, data: runView(after) };
      }).catch((error: unknown) => {
        throw isDuplicateKey(error)
          ? new ApiError('CONFLICT', 'The contact has re-entered this workflow in the meantime.', { cause: error })
          : error;
      }),
  );
}
