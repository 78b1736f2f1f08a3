import { success } from '@mp/contracts/envelope';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { WorkflowApprovals } from './approval/workflow-approvals.ts';
import type { CheckSteps } from './check-steps.ts';
import type { FitRules } from './fit-rules.ts';
import { requireActivation } from './require-activation.ts';
import { requireDestinations } from './require-destinations.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { CreateWorkflowBody, newWorkflow, type Workflow, WorkflowDetails } from './workflow.ts';
import type { FindDetails } from './workflow-details.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Deps = {
  workflows: WorkflowsStore;
  workflowApprovals: WorkflowApprovals;
  transact: Transact;
  checkSteps: CheckSteps;
  fitRules: FitRules;
  findDetails: FindDetails;
  clock: Clock;
};

export function createWorkflow(app: Server, { workflows, workflowApprovals, transact, checkSteps, fitRules, findDetails, clock }: Deps) {
  app.post(
    '/v2/workflows',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'createWorkflow',
        summary: 'Create a workflow',
        description:
          'The workflow is active immediately unless `status` is `draft`, or the settings require approval: then it is `awaiting_approval`. An active one also needs the scope `workflows:activate`. Runs start at the first step; a step without `next` ends the run. ' +
          'Rejected, with the path of the step: a duplicate step id, a target that does not exist, a step that no other step leads to, ' +
          'a loop without a delay that has `for` or `until_local`, a `field` condition that reads events or segments (`unsupported_rule`), a rule that compares an attribute with a value of another type (`wrong_type`), ' +
          'a message that cannot be rendered (`invalid_template`, `unknown_field` or `unsafe_link`, with `line` and `column`), ' +
          'and a webhook to a private address. Steps that send data to a URL (`webhook`) need the permission Admin and the scope `webhooks:write`, like webhooks.',
        body: CreateWorkflowBody,
        response: { 201: success(WorkflowDetails) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(
        request,
        reply,
        async (tx, { body, details }) => {
          const created = newWorkflow(body, clock());
          const isAwaiting = created.status === 'active' && (await workflowApprovals.isRequired(tx, accountId));
          const workflow: Workflow = isAwaiting ? { ...created, status: 'awaiting_approval', activated_at: null } : created;
          await workflows.insert(tx, accountId, workflow);
          if (isAwaiting) await workflowApprovals.request(tx, request.principal, workflow, { include_current: false });
          return { status: 201, data: { ...workflow, ...details }, location: `/v2/workflows/${workflow.id}`, etag: etagOf(workflow) };
        },
        {
          before: async () => {
            if (request.body.status === 'active') {
              requireActivation(request.principal, 'Creating an active workflow');
              await requireSendPermission(workflows, request.principal, request.body.steps);
            }
            requireDestinations(request.principal, request.body.steps);
            await checkSteps(accountId, request.body);
            const body = await fitRules(accountId, request.body);
            return { body, details: await findDetails(accountId, undefined, body) };
          },
        },
      );
    },
  );
}
