import { success } from '@mp/contracts/envelope';
import { runId } from '@mp/contracts/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, includeContacts } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { logView, RunWithLog, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

const maxMoves = 1_000;

export function getRun(app: Server, { runs, broker }: { runs: RunsStore; broker: Pick<Broker, 'request'> }) {
  app.get(
    '/v2/workflows/runs/:id',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflowRun',
        summary: 'Get a run and its log',
        description: 'The log describes what each step did, what the run is waiting for, and why a step was skipped.',
        params: z.object({ id: runId }),
        querystring: z.strictObject({ include: includeContact }),
        response: { 200: success(RunWithLog) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const run = await runs.get(accountId, request.params.id);
      const log = logView(await runs.logOf(accountId, run.id, maxMoves));
      const included = request.query.include ? (await includeContacts(broker, request.principal, [run.contact_id]))(run.contact_id) : {};
      return { success: true as const, data: { ...runView(run), ...included, responses: run.responses, log } };
    },
  );
}
