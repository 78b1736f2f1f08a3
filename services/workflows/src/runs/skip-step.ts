import { success } from '@mp/contracts/envelope';
import { runId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RunActions } from './run-actions.ts';
import { RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; act: RunActions; transact: Transact };

export function skipStep(app: Server, { runs, act, transact }: Deps) {
  app.post(
    '/v2/workflows/runs/:id/skip',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'skipWorkflowRunStep',
        summary: 'Skip the current step of a run',
        description:
          'Ends the wait or the effect of the current step and continues with `next`: `else` of a branch, the first path of a split. An effect that the step has already requested may still happen.',
        params: z.object({ id: runId }),
        body: z.strictObject({}),
        response: { 200: success(RunView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const run = await runs.get(request.principal.accountId, request.params.id, tx);
        return { status: 200, data: runView(await act(tx, request.principal, run, { type: 'skip' })) };
      }),
  );
}
