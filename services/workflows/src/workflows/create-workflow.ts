import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { Clock } from '../runs/clock.ts';
import { type Checks, CreateWorkflowBody, checkDefinition, definitionOf, newWorkflow, Workflow } from './workflow.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Deps = { workflows: WorkflowsStore; transact: Transact; checks: Checks; clock: Clock };

export function createWorkflow(app: Server, { workflows, transact, checks, clock }: Deps) {
  app.post(
    '/v2/workflows',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'createWorkflow',
        summary: 'Create a workflow',
        description:
          'It is active at once unless `status` is `draft`. Runs begin at the first step; a step without `next` ends the run. ' +
          'Refused, with the step named: an id that is there twice, a target that does not exist, a step that nothing leads to, a loop without a lasting delay, ' +
          'a template field that no contact has, a webhook to a private address.',
        querystring: noQuery,
        body: CreateWorkflowBody,
        response: { 201: success(Workflow) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const workflow = newWorkflow(request.body, clock());
        checkDefinition(definitionOf(workflow), checks);
        await workflows.insert(tx, request.principal.accountId, workflow);
        return { status: 201, data: workflow, location: `/v2/workflows/${workflow.id}`, etag: etagOf(workflow) };
      }),
  );
}
