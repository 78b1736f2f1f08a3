import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { type AccountId, trustedId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { CheckSteps } from '../workflows/check-steps.ts';
import type { Definition } from '../workflows/definition.ts';
import type { FitRules } from '../workflows/fit-rules.ts';
import { CreateWorkflowBody } from '../workflows/workflow.ts';
import { type PlaySimulation, Simulation, simulateFields } from './play-simulation.ts';

const DraftBody = z.strictObject({
  ...simulateFields,
  definition: CreateWorkflowBody.partial({ name: true }).describe(
    'The workflow to simulate: the body of POST /v2/workflows. It is not saved; `name`, `description` and `status` have no effect.',
  ),
});

type Deps = { checkSteps: CheckSteps; fitRules: FitRules; play: PlaySimulation };

export function simulateDraft(app: Server, { checkSteps, fitRules, play }: Deps) {
  async function checked(accountId: AccountId, definition: Definition): Promise<Definition> {
    await checkSteps(accountId, definition);
    return fitRules(accountId, definition);
  }

  app.post(
    '/v2/workflows/simulate',
    {
      config: { scope: 'workflows:write', reads: true },
      schema: {
        operationId: 'simulateWorkflowDraft',
        summary: 'Simulate a workflow without saving it',
        description:
          'Like `POST /v2/workflows/:id/simulate`, but for a definition in the request, which is checked as if it were saved. ' +
          'With `expect`, your own tests can check a workflow before you deploy it.',
        body: DraftBody,
        response: { 200: success(Simulation) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { definition, ...body } = request.body;
      const fitted = await checked(accountId, definition).catch(within('/definition'));
      return { success: true as const, data: await play(accountId, { ...fitted, id: trustedId<'workflow'>('draft'), version: 1 }, body) };
    },
  );
}

/** Rethrows an error with its paths below `path`, where the definition is in the request. */
const within = (path: string) => (error: unknown) => {
  if (!(error instanceof ApiError) || !error.details) throw error;
  const details = error.details.map((detail) => ({ ...detail, ...(detail.path !== undefined && { path: `${path}${detail.path}` }) }));
  throw new ApiError(error.code, error.message, { details, cause: error });
};
