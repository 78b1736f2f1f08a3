import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { workflowId } from '@mp/contracts/ids';
import { ApproveBody, RejectBody, requireSecondPerson, requireSeen } from '@mp/service-kit/approval';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { requirePerson } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { EnrollmentsStore } from '../../enrollments/enrollments-store.ts';
import type { RunsStore } from '../../runs/runs-store.ts';
import type { TicksStore } from '../../schedules/ticks-store.ts';
import { requireSendPermission } from '../require-send-permission.ts';
import { startEnrollment } from '../start-enrollment.ts';
import { WorkflowDetails } from '../workflow.ts';
import type { FindDetails } from '../workflow-details.ts';
import { moveWorkflow, withdrawn } from '../workflow-states.ts';
import type { WorkflowsStore } from '../workflows-store.ts';
import { includedIn, type WorkflowApprovals } from './workflow-approvals.ts';

type Deps = {
  workflows: WorkflowsStore;
  approvals: ApprovalsStore;
  workflowApprovals: WorkflowApprovals;
  runs: RunsStore;
  ticks: Pick<TicksStore, 'enroll'>;
  enrollments: EnrollmentsStore;
  transact: Transact;
  findDetails: FindDetails;
  clock: Clock;
};

const person =
  'Only a user who is signed in can do this, and not the one who requested approval, directly or with an API key or OAuth client that they created. `revision` must be the one that you have seen, as in `GET …/approval`.';

const decisions = {
  approve: {
    status: 'approved',
    summary: 'Approve a workflow',
    description: `Activates a workflow that awaits approval. ${person}`,
    body: ApproveBody,
  },
  reject: {
    status: 'rejected',
    summary: 'Reject a workflow',
    description: `A workflow that awaits approval is a draft again, or paused if it was active before. ${person}`,
    body: RejectBody,
  },
} as const;

/** `POST …/approve` and `…/reject`. */
export function decideApproval(app: Server, verb: keyof typeof decisions, deps: Deps) {
  const { workflows, approvals, workflowApprovals, runs, ticks, enrollments, transact, findDetails, clock } = deps;
  const { status, summary, description, body } = decisions[verb];
  app.post(
    `/v2/workflows/:id/${verb}`,
    {
      config: { scope: 'workflows:activate', ifMatch: true },
      schema: {
        operationId: `${verb}Workflow`,
        summary,
        description,
        params: z.object({ id: workflowId }),
        body,
        response: { 200: success(WorkflowDetails) },
      },
    },
    async (request, reply) => {
      const { principal, params } = request;
      const { accountId } = principal;
      requirePerson(principal, `${verb} a workflow`);
      const { revision, comment } = request.body;
      return transact(
        request,
        reply,
        async (tx, details) => {
          const before = await workflows.get(accountId, params.id, tx);
          if (before.status !== 'awaiting_approval')
            throw new ApiError('INVALID_STATE', `The workflow is ${before.status}; it does not await approval.`);
          requireMatch(request, before);
          requireSeen(revision, before);
          if (verb === 'approve') await requireSendPermission(workflows, principal, before.steps, tx);
          const approval = await approvals.find(accountId, before.id, tx);
          if (approval) requireSecondPerson(approval, principal);
          const now = clock();
          const workflow = verb === 'approve' ? moveWorkflow(before, 'active', now) : withdrawn(before, now);
          await workflowApprovals.end(tx, principal, before, { status, comment });
          await workflows.replace(tx, accountId, workflow);
          if (verb === 'approve') {
            tx.afterCommit(() => runs.wakeRuns(accountId, workflow.id, clock()));
            await startEnrollment(tx, { enrollments, ticks }, accountId, workflow, { including: includedIn(approval), now });
          }
          const enrollment = await enrollments.find(accountId, workflow.id, tx);
          return { status: 200, data: { ...workflow, ...details, enrollment }, etag: etagOf(workflow) };
        },
        {
          before: async () => {
            const workflow = await workflows.get(accountId, params.id);
            return findDetails(accountId, workflow.id, workflow);
          },
        },
      );
    },
  );
}
