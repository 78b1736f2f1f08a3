import type { AccountId, WorkflowId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { runCollections } from './run-collections.ts';
import { runOf, type StoredRun } from './run-document.ts';

type AdmissionDocument = { _id: WorkflowId; account_id: AccountId; admissions: number };

export type CapacityStore = ReturnType<typeof createCapacityStore>;

/** Runs that use the capacity of a workflow with `max_concurrent`, or wait for it. */
export function createCapacityStore(db: Db) {
  const { runs } = runCollections(db);
  const admissions = db.collection<AdmissionDocument>('admissions');

  return {
    prepare: () => prepareCollection(admissions, [{ key: { account_id: 1 } }], db),

    /** Makes transactions that admit runs of the same workflow happen one after the other. */
    lock: (tx: Transaction, accountId: AccountId, workflowId: WorkflowId) =>
      admissions.updateOne({ _id: workflowId, account_id: accountId }, { $inc: { admissions: 1 } }, { session: tx.session, upsert: true }),

    /** How many open runs count towards the limit, up to `limit`. */
    used: (tx: Transaction, accountId: AccountId, workflowId: WorkflowId, limit: number) =>
      runs.countDocuments({ capacity: 'used', workflow_id: workflowId, account_id: accountId }, { session: tx.session, limit }),

    /** The runs that wait, in the order of their starts. */
    async awaiting(tx: Transaction, accountId: AccountId, workflowId: WorkflowId, limit: number): Promise<StoredRun[]> {
      const found = await runs
        .find({ capacity: 'awaited', workflow_id: workflowId, account_id: accountId }, { session: tx.session })
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** The first workflow after this one, in id order, that has waiting runs. */
    async workflowAfter(after: WorkflowId | null): Promise<{ accountId: AccountId; workflowId: WorkflowId } | undefined> {
      const found = await runs.findOne(
        { capacity: 'awaited', ...(after !== null && { workflow_id: { $gt: after } }) },
        { sort: { workflow_id: 1 }, projection: { account_id: 1, workflow_id: 1 } },
      );
      return found ? { accountId: found.account_id, workflowId: found.workflow_id } : undefined;
    },
  };
}
