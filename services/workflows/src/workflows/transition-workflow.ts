import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { workflowId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { EnrollmentsStore } from '../enrollments/enrollments-store.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { TicksStore } from '../schedules/ticks-store.ts';
import { pauseFirst, type WorkflowApprovals } from './approval/workflow-approvals.ts';
import { PastDays } from './past-days.ts';
import { requireSendPermission } from './require-send-permission.ts';
import { type Including, startEnrollment } from './start-enrollment.ts';
import { type Workflow, WorkflowDetails } from './workflow.ts';
import type { FindDetails } from './workflow-details.ts';
import { moveWorkflow, withdrawn } from './workflow-states.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Deps = {
  workflows: WorkflowsStore;
  workflowApprovals: WorkflowApprovals;
  runs: RunsStore;
  ticks: Pick<TicksStore, 'enroll'>;
  enrollments: EnrollmentsStore;
  transact: Transact;
  findDetails: FindDetails;
  clock: Clock;
};

const ActivateBody = z.strictObject({
  include_current: z
    .boolean()
    .default(false)
    .describe(
      'Also start a run for each contact that is in the segment of the `segment_entered` trigger now, in the background and subject to the entry policy: `enrollment` shows the progress. ' +
        'Each time a contact enters the segment starts at most one run, so repeating this, even after a pause, starts none twice. ' +
        'An active workflow can be activated again with this. ' +
        'GET /v2/workflows/:id/activation tells beforehand how many contacts these are.',
    ),
  include_past_days: PastDays.optional().describe(
    'Of a workflow with the trigger `event`: also start a run for each contact that had the event in so many past days, once, with its last event, like `include_current`. ' +
      'An event starts at most one run, so repeating this starts none twice.',
  ),
});

const moves = [
  [
    'activate',
    'active',
    'workflows:activate',
    'From now on the trigger starts runs, and runs held by a pause continue. If the settings require approval (`approval`) and this definition was not approved yet, the workflow is `awaiting_approval` until a second person approves it.',
    ActivateBody,
  ],
  [
    'pause',
    'paused',
    'workflows:write',
    'No runs start, and open runs are held at their step. A workflow that awaits approval is a draft again, or paused if it was active before. Effects that a step has already requested still happen.',
    z.strictObject({}),
  ],
  ['archive', 'archived', 'workflows:write', 'No runs start, and open runs exit with the reason `workflow_archived`.', z.strictObject({})],
] as const;

/** POST /v2/workflows/:id/activate, /pause and /archive. All are idempotent. */
export function moveWorkflows(app: Server, { workflows, workflowApprovals, runs, ticks, enrollments, transact, findDetails, clock }: Deps) {
  for (const [verb, status, scope, description, body] of moves) {
    app.post(
      `/v2/workflows/:id/${verb}`,
      {
        config: { scope, ifMatch: true },
        schema: {
          operationId: `${verb}Workflow`,
          summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a workflow`,
          description,
          params: z.object({ id: workflowId }),
          body,
          response: { 200: success(WorkflowDetails), ...(verb === 'activate' && { 202: success(WorkflowDetails) }) },
        },
      },
      (request, reply) => {
        const { accountId } = request.principal;
        return transact(
          request,
          reply,
          async (tx, details) => {
            const before = await workflows.get(accountId, request.params.id, tx);
            requireMatch(request, before);
            if (status === 'active') await requireSendPermission(workflows, request.principal, before.steps, tx);
            const including = includedBy(request.body, before);
            const needsApproval = status === 'active' && (await workflowApprovals.needsApproval(tx, accountId, before, including));
            if (needsApproval && before.status === 'active') throw pauseFirst('Starting runs for the current contacts');
            if (status === 'active' && before.status === 'awaiting_approval') throw awaitsApproval();
            const workflow =
              status === 'paused' && before.status === 'awaiting_approval'
                ? withdrawn(before, clock())
                : moveWorkflow(before, needsApproval ? 'awaiting_approval' : status, clock());
            if (workflow !== before) await workflowApprovals.end(tx, request.principal, before, { status: 'withdrawn' });
            if (needsApproval) await workflowApprovals.request(tx, request.principal, workflow, including);
            if (workflow !== before) {
              await workflows.replace(tx, accountId, workflow);
              if (status !== 'paused' && !needsApproval) tx.afterCommit(() => runs.wakeRuns(accountId, workflow.id, clock()));
            }
            if (!needsApproval) await startEnrollment(tx, { enrollments, ticks }, accountId, workflow, { including, now: clock() });
            const enrollment = await enrollments.find(accountId, workflow.id, tx);
            return {
              ...(needsApproval ? { status: 202, location: `/v2/workflows/${workflow.id}` } : { status: 200 }),
              data: { ...workflow, ...details, enrollment },
              etag: etagOf(workflow),
            };
          },
          {
            before: async () => {
              const workflow = await workflows.get(accountId, request.params.id);
              return findDetails(accountId, workflow.id, workflow);
            },
          },
        );
      },
    );
  }
}

const awaitsApproval = () =>
  new ApiError('INVALID_STATE', 'The workflow awaits approval; another user must approve it with POST /v2/workflows/:id/approve.');

/** Which contacts also start. Throws VALIDATION_ERROR if the trigger has none. */
function includedBy(body: object, { trigger }: Workflow): Including {
  const { include_current = false, include_past_days } = ActivateBody.partial().parse(body);
  if (include_current && trigger.type !== 'segment_entered') {
    const message = `Only a workflow with the trigger segment_entered has contacts that match now; this one has ${trigger.type}. To start runs for chosen contacts, use POST /v2/workflows/:id/trigger.`;
    throw invalid('/include_current', 'no_current_contacts', message);
  }
  if (include_past_days !== undefined && trigger.type !== 'event') {
    const message = `Only a workflow with the trigger event has past events; this one has ${trigger.type}.`;
    throw invalid('/include_past_days', 'no_past_events', message);
  }
  return { include_current, ...(include_past_days !== undefined && { include_past_days }) };
}
