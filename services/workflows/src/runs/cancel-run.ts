import { success } from '@mp/contracts/envelope';
import { runId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RunActions } from './run-actions.ts';
import { RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; act: RunActions; transact: Transact };

export function cancelRun(app: Server, { runs, act, transact }: Deps) {
  app.post(
    '/v2/workflows/runs/:id/cancel',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'cancelWorkflowRun',
        summary: 'Cancel a run',
        description: 'The run takes no further steps; an effect that its current step has already requested may still happen. Idempotent.',
        params: z.object({ id: runId }),
        body: z.strictObject({}),
        response: { 200: success(RunView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const run = await runs.get(request.principal.accountId, request.params.id, tx);
        return { status: 200, data: runView(await act(tx, request.principal, run, { type: 'cancel' })) };
      }),
  );
}
