import { success } from '@mp/contracts/envelope';
import { runId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { StepId } from '../workflows/step-id.ts';
import type { RunActions } from './run-actions.ts';
import { RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; act: RunActions; transact: Transact };

export function rerunFrom(app: Server, { runs, act, transact }: Deps) {
  app.post(
    '/v2/workflows/runs/:id/rerun-from',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'rerunWorkflowRun',
        summary: 'Run again from a step',
        description:
          'The run, open or ended, continues from the given step of its version as if it had just started; effects of that and the following steps happen again. A run that has ended counts as open again, so the entry policy must admit the contact.',
        params: z.object({ id: runId }),
        body: z.strictObject({ step_id: StepId }),
        response: { 200: success(RunView) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const run = await runs.get(principal.accountId, request.params.id, tx);
        return { status: 200, data: runView(await act(tx, principal, run, { type: 'rerun_from', step_id: request.body.step_id })) };
      }),
  );
}
