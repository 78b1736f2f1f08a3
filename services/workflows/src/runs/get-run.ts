import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { logView, RunWithLog, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

const mostMoves = 1_000;

export function getRun(app: Server, { runs }: { runs: RunsStore }) {
  app.get(
    '/v2/workflows/runs/:run_id',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowRun',
        summary: 'Get a run and its log',
        description: 'The log describes what each step did, what the run is waiting for, and why a step was skipped.',
        params: z.object({ run_id: z.string() }),
        querystring: noQuery,
        response: { 200: success(RunWithLog) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const run = await runs.get(accountId, request.params.run_id);
      const log = logView(await runs.logOf(accountId, run.id, mostMoves));
      return { success: true as const, data: { ...runView(run), log } };
    },
  );
}
