import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { workflowId } from '@mp/contracts/ids';
import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { signHook } from './hook-token.ts';
import { hookRate } from './receive-hook.ts';

const WorkflowHook = z
  .object({
    path: z
      .string()
      .describe('The path of the URL, below the address of the platform. It is a secret: a POST to it starts runs without a key.'),
  })
  .meta({ id: 'WorkflowHook' });

export function getHook(app: Server, { workflows, keys }: { workflows: Pick<WorkflowsStore, 'get'>; keys: Keyring }) {
  app.get(
    '/v2/workflows/:id/hook',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getWorkflowHook',
        summary: 'Get the inbound URL of a workflow',
        description:
          'Of a workflow with a `webhook_received` trigger (otherwise 404). POST a JSON object of at most 16 KiB to the URL to start a run; the object is the data of the run. ' +
          'The response has the `run_id`, and whether it `started`: a contact that the entry policy does not admit is not an error. ' +
          'With a `webhook-id` or `idempotency-key` header, a repeated request starts no second run. To replace the URL, raise `generation` of the trigger. ' +
          `The URL accepts ${hookRate.perSecond} requests per second, and ${hookRate.burst} at once; ` +
          'each counts against the rate limit and the daily quota of the account, and gets 429 beyond them.',
        params: z.object({ id: workflowId }),
        response: { 200: success(WorkflowHook) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id, trigger } = await workflows.get(accountId, request.params.id);
      if (trigger.type !== 'webhook_received') {
        throw new ApiError('NOT_FOUND', `The trigger is ${trigger.type}; only a workflow with a webhook_received trigger has a URL.`);
      }
      const token = signHook(keys, { accountId, workflowId: id, generation: trigger.generation });
      return { success: true as const, data: { path: `/t/hooks/${token}` } };
    },
  );
}
