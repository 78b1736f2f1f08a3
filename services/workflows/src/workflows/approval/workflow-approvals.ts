import type { ApprovalChange } from '@mp/contracts/approval';
import { ApiError } from '@mp/contracts/errors';
import { WorkflowApprovalChanged } from '@mp/contracts/events/workflows';
import type { AccountId } from '@mp/ids';
import type { ApprovalsStore, PinnedTemplate } from '@mp/service-kit/approvals-store';
import type { Clock } from '@mp/service-kit/clock';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { type Including, includesAny } from '../start-enrollment.ts';
import { definitionOf, same, type Workflow } from '../workflow.ts';
import type { FindTemplateVersions } from './template-versions.ts';

type Deps = {
  approvals: ApprovalsStore;
  settings: Pick<SettingsStore, 'of'>;
  findTemplateVersions: FindTemplateVersions;
  outbox: Pick<Outbox, 'add'>;
  clock: Clock;
};

export type WorkflowApprovals = ReturnType<typeof createWorkflowApprovals>;

/** What an approval is about. */
export const approvedContent = (workflow: Workflow, including: Including, templates: readonly PinnedTemplate[] = []) => ({
  name: workflow.name,
  description: workflow.description,
  ...definitionOf(workflow),
  templates,
  ...including,
});

/** What a request for approval includes. */
export const includedIn = (request: Partial<Including> | undefined): Including => ({
  include_current: request?.include_current ?? false,
  ...(request?.include_past_days !== undefined && { include_past_days: request.include_past_days }),
});

/** Decides which activations need approval, and begins and ends requests for it, with their event. */
export function createWorkflowApprovals({ approvals, settings, findTemplateVersions, outbox, clock }: Deps) {
  const publish = (
    tx: Transaction,
    { accountId, id: actor_id }: Principal,
    { id, name, revision }: Workflow,
    { change, requested_by, comment = null }: { change: ApprovalChange; requested_by: string; comment?: string | null },
  ) =>
    outbox.add(tx, WorkflowApprovalChanged, accountId, {
      ...{ workflow_id: id, name, change, revision, requested_by, actor_id, comment },
      schedule_at: null,
      at: clock().toISOString(),
    });

  const isRequired = async (tx: Transaction, accountId: AccountId) => (await settings.of(accountId, tx)).approval === 'always';

  return {
    isRequired,

    /**
     * Whether activating this workflow needs approval. What was approved last, with the same versions of its templates, can be paused
     * and activated again without.
     */
    async needsApproval(tx: Transaction, accountId: AccountId, workflow: Workflow, including: Including): Promise<boolean> {
      if (!(await isRequired(tx, accountId))) return false;
      if (includesAny(including)) return true;
      if (workflow.status === 'active') return false;
      const { approved } = (await approvals.find(accountId, workflow.id, tx)) ?? {};
      if (approved === undefined) return true;
      const { name: _, description: __, include_current: ___, include_past_days: ____, ...before } = JSON.parse(approved);
      const templates = await findTemplateVersions(accountId, workflow.steps);
      return !same(before, JSON.parse(JSON.stringify({ ...definitionOf(workflow), templates })));
    },

    async request(tx: Transaction, principal: Principal, workflow: Workflow, including: Including) {
      const templates = await findTemplateVersions(principal.accountId, workflow.steps);
      await approvals.request(tx, principal, workflow.id, { ...including, templates });
      await publish(tx, principal, workflow, { change: 'requested', requested_by: principal.id });
    },

    /** Ends the request of a workflow that awaits approval; others have none. */
    async end(
      tx: Transaction,
      principal: Principal,
      before: Workflow,
      { status, comment }: { status: 'approved' | 'rejected' | 'withdrawn'; comment?: string | undefined },
    ) {
      if (before.status !== 'awaiting_approval') return;
      const request = await approvals.find(principal.accountId, before.id, tx);
      const approved = status === 'approved' ? { approved: approvedContent(before, includedIn(request), request?.templates) } : {};
      await approvals.end(tx, principal.accountId, before.id, { status, by: principal.id, comment, ...approved });
      const requested_by = request?.requested_by ?? principal.id;
      await publish(tx, principal, before, { change: status, requested_by, comment: comment || null });
    },

    remove: approvals.remove,
  };
}

/** The error for what would need approval and cannot wait for it, because the workflow is active. */
export const pauseFirst = (what: string) =>
  new ApiError(
    'INVALID_STATE',
    `${what} needs the approval of a second person. Pause the workflow first, and activate it again after that.`,
    {
      details: [{ path: '/status', code: 'approval_required', message: 'The workflow is active.' }],
    },
  );
