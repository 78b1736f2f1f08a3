import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
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
        description: 'It enters the step at which it failed once more, as a new effect, and goes on from there.',
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
        if (run.state !== 'failed') throw new ApiError('INVALID_STATE', `The run is ${run.state}; only a failed one is tried again.`);
        const status = await workflows.status(accountId, run.workflow_id, tx);
        if (status !== 'active')
          throw new ApiError('INVALID_STATE', `Its workflow is ${status ?? 'deleted'}; only runs of an active one go on.`);
        const { entry } = await workflows.definition(accountId, run.workflow_id, run.version);
        if (entry.policy === 'after_exit') await runs.reopen(tx, run);
        const after = await moveRun(tx, run, { type: 'retry' });
        if (!after) throw new ApiError('INVALID_STATE', 'The run moved at this very moment; try again.');
        return { status: 200, data: runView(after) };
      }).catch((error: unknown) => {
        throw isDuplicateKey(error)
          ? new ApiError('CONFLICT', 'The contact is in this workflow again meanwhile.', { cause: error })
          : error;
      }),
  );
}
