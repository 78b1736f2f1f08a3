import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { type PlaySimulation, Simulation, simulateFields } from './play-simulation.ts';

export function simulateWorkflow(app: Server, { workflows, play }: { workflows: WorkflowsStore; play: PlaySimulation }) {
  app.post(
    '/v2/workflows/:id/simulate',
    {
      config: { scope: 'workflows:write', reads: true },
      schema: {
        operationId: 'simulateWorkflow',
        summary: 'Simulate a workflow',
        description:
          'Runs a workflow of any status on a virtual clock, with the code that advances live runs. Delays pass immediately and nothing is sent: ' +
          'messages are rendered, and changes are made to a copy of the contact that later branches and messages see. ' +
          'The response lists what would be sent, changed and called. Events, campaigns and segment memberships are the current ones. ' +
          'Without a contact, a branch that is not set in `branches` takes `else`. ' +
          'The simulation ends with the run, after `advance`, or after 1,000 changes of the run or 8 MiB of messages.',
        params: z.object({ id: workflowId }),
        body: z.strictObject(simulateFields),
        response: { 200: success(Simulation) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      return { success: true as const, data: await play(accountId, workflow, request.body) };
    },
  );
}
