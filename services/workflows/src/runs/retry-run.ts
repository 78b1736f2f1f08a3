import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { runId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RunActions } from './run-actions.ts';
import { RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; act: RunActions; transact: Transact };

export function retryRun(app: Server, { runs, act, transact }: Deps) {
  app.post(
    '/v2/workflows/runs/:id/retry',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'retryWorkflowRun',
        summary: 'Retry a failed run',
        description: 'Re-enters the step at which the run failed, as a new effect, and continues from there.',
        params: z.object({ id: runId }),
        body: z.strictObject({}),
        response: { 200: success(RunView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const run = await runs.get(request.principal.accountId, request.params.id, tx);
        return { status: 200, data: runView(await act(tx, request.principal, run, { type: 'retry' })) };
      }).catch((error: unknown) => {
        throw isDuplicateKey(error)
          ? new ApiError('CONFLICT', 'The contact has re-entered this workflow in the meantime.', { cause: error })
          : error;
      }),
  );
}
