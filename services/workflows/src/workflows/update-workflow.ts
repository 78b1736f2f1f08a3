import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { pauseFirst, type WorkflowApprovals } from './approval/workflow-approvals.ts';
import type { CheckSteps } from './check-steps.ts';
import type { Definition } from './definition.ts';
import type { FitRules } from './fit-rules.ts';
import { requireActivation } from './require-activation.ts';
import { requireDestinations } from './require-destinations.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { changeWorkflow, definitionOf, same, UpdateWorkflowBody, WorkflowDetails } from './workflow.ts';
import type { FindDetails } from './workflow-details.ts';
import { withdrawn } from './workflow-states.ts';
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

export function updateWorkflow(app: Server, { workflows, workflowApprovals, transact, checkSteps, fitRules, findDetails, clock }: Deps) {
  app.put(
    '/v2/workflows/:id',
    {
      config: { scope: 'workflows:write', ifMatch: true },
      schema: {
        operationId: 'updateWorkflow',
        summary: 'Update a workflow',
        description:
          'Omitted fields keep their value; `steps`, `trigger` and `entry` are replaced as a whole. If the workflow has ever been active, ' +
          'the change creates a new version, which applies to runs that start from then on. An update that changes nothing writes nothing. ' +
          'Changing the definition of an active workflow also needs the scope `workflows:activate`. ' +
          'A change of one that is `awaiting_approval` withdraws the request. If the settings require approval, an active workflow cannot be redefined: pause it first. ' +
          'A `webhook` step with a URL that the workflow does not have yet needs the permission Admin and the scope `webhooks:write`. ' +
          'Send the `ETag` as `If-Match` to prevent overwriting a concurrent change.',
        params: z.object({ id: workflowId }),
        body: UpdateWorkflowBody,
        response: { 200: success(WorkflowDetails) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(
        request,
        reply,
        async (tx, { body, details }) => {
          const before = await workflows.get(accountId, request.params.id, tx);
          requireMatch(request, before);
          const changed = changeWorkflow(before, body, clock());
          const isPublished = before.status === 'active' && !same(definitionOf(before), definitionOf(changed));
          if (isPublished) {
            requireActivation(request.principal, 'Changing what an active workflow does');
            await requireSendPermission(workflows, request.principal, changed.steps, tx);
            if (await workflowApprovals.isRequired(tx, accountId)) throw pauseFirst('A new version of an active workflow');
          }
          const isWithdrawn = changed !== before && before.status === 'awaiting_approval';
          const workflow = isWithdrawn ? { ...withdrawn(changed, clock()), revision: changed.revision } : changed;
          if (isWithdrawn) await workflowApprovals.end(tx, request.principal, before, { status: 'withdrawn' });
          if (workflow !== before) await workflows.replace(tx, accountId, workflow);
          return { status: 200, data: { ...workflow, ...details }, etag: etagOf(workflow) };
        },
        {
          before: async () => {
            const { body } = request;
            const before = await workflows.get(accountId, request.params.id);
            const after = { ...definitionOf(before), ...definedIn(body) };
            // The response of GET can be sent back even if an attribute has another type by now, or a template no longer exists.
            const hasNewSteps = !same([after.steps, after.exit_when], [before.steps, before.exit_when]);
            requireDestinations(request.principal, after.steps, before.steps);
            if (hasNewSteps) await checkSteps(accountId, after);
            const hasNewTrigger = !same(after.trigger, before.trigger);
            const none: Pick<Definition, 'trigger' | 'steps' | 'exit_when'> = { trigger: { type: 'manual' }, steps: [], exit_when: [] };
            const { trigger, steps, exit_when } = await fitRules(accountId, {
              trigger: hasNewTrigger ? after.trigger : none.trigger,
              steps: hasNewSteps ? after.steps : none.steps,
              exit_when: hasNewSteps ? after.exit_when : none.exit_when,
            });
            const fitted = {
              ...body,
              ...(body.trigger && hasNewTrigger && { trigger }),
              ...(body.steps && hasNewSteps && { steps }),
              ...(body.exit_when && hasNewSteps && { exit_when }),
            };
            return { body: fitted, details: await findDetails(accountId, before.id, after) };
          },
        },
      );
    },
  );
}

const definedIn = ({ trigger, steps, exit_when }: z.output<typeof UpdateWorkflowBody>) => ({
  ...(trigger && { trigger }),
  ...(steps && { steps }),
  ...(exit_when && { exit_when }),
});
