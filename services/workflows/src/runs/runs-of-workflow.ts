import type { AccountId, ContactId, RunId, WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import type { Transaction } from '@mp/service-kit/mongo';
import { isRunState, type RunState } from './run.ts';
import { openRunFilter, type RunCollections } from './run-collections.ts';
import { runOf, type StoredRun } from './run-document.ts';

type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  status?: RunState | undefined;
  step_id?: string | undefined;
  contact_id?: ContactId | undefined;
};

/** Searches that take longer are aborted, so that they do not slow down the runs. */
const maxTimeMS = 10_000;

/** The runs of a workflow as users look for them, and their logs. */
export function createRunsOfWorkflow({ runs, log }: RunCollections, cursors: Cursors) {
  return {
    /** The runs of a workflow that match, oldest first. */
    async matching(
      tx: Transaction,
      accountId: AccountId,
      workflowId: WorkflowId,
      filter: {
        states: readonly string[];
        step_id?: string | undefined;
        contact_ids?: readonly ContactId[] | undefined;
        started_before?: string | undefined;
        limit: number;
      },
    ): Promise<StoredRun[]> {
      const { states, step_id, contact_ids, started_before, limit } = filter;
      const found = await runs
        .find(
          {
            account_id: accountId,
            workflow_id: workflowId,
            state: { $in: states.filter(isRunState) },
            ...(step_id !== undefined && { step: step_id }),
            ...(contact_ids && { contact_id: { $in: [...contact_ids] } }),
            ...(started_before !== undefined && { created_at: { $lt: new Date(started_before) } }),
          },
          { session: tx.session, maxTimeMS },
        )
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** The open runs of a workflow that are on another version, oldest first, after the run `after`. */
    async onOtherVersions(
      tx: Transaction,
      accountId: AccountId,
      workflowId: WorkflowId,
      { version, after, limit }: { version: number; after: RunId | undefined; limit: number },
    ): Promise<StoredRun[]> {
      const last = after === undefined ? null : await runs.findOne({ _id: after, account_id: accountId }, { session: tx.session });
      const later = last && { $or: [{ created_at: { $gt: last.created_at } }, { created_at: last.created_at, _id: { $gt: last._id } }] };
      const found = await runs
        .find(
          { account_id: accountId, workflow_id: workflowId, ...openRunFilter, version: { $ne: version }, ...later },
          { session: tx.session, maxTimeMS },
        )
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    async list(accountId: AccountId, workflowId: WorkflowId, query: ListQuery) {
      const { limit, cursor, status, step_id, contact_id } = query;
      const { items, pagination } = await findPage({
        collection: runs,
        filter: {
          account_id: accountId,
          workflow_id: workflowId,
          ...(status && { state: status }),
          ...(step_id && { step: step_id }),
          ...(contact_id && { contact_id }),
        },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['runs', accountId, workflowId, status, step_id, contact_id],
      });
      return { items: items.map(runOf), pagination };
    },

    /** Of the failed runs, the one that started last. */
    async lastFailure(accountId: AccountId, workflowId: WorkflowId) {
      const [found] = await runs
        .find(
          { account_id: accountId, workflow_id: workflowId, state: 'failed' },
          { projection: { step: 1, reason: 1, ended_at: 1, created_at: 1 } },
        )
        .sort({ created_at: -1, _id: -1 })
        .limit(1)
        .toArray();
      if (!found) return null;
      const { _id, step, reason, ended_at, created_at } = found;
      return { run_id: _id, step_id: step, reason, at: (ended_at ?? created_at).toISOString() };
    },

    /** The log of a run: the newest `limit` changes, in order. */
    async logOf(accountId: AccountId, runId: RunId, limit: number) {
      const found = await log.find({ account_id: accountId, run_id: runId }).sort({ sequence: -1 }).limit(limit).toArray();
      return found.reverse().map(({ sequence, at, entries }) => ({ sequence, at, entries }));
    },
  };
}
