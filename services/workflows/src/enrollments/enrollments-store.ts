import type { AccountId, WorkflowId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Enrollment } from '../workflows/enrollment.ts';
import { ruleOf } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';

type EnrollmentDocument = Omit<Enrollment, 'created_at' | 'completed_at'> & {
  _id: WorkflowId;
  account_id: AccountId;
  /** The activation that it belongs to. There is one enrollment for each. */
  activated_at: string;
  created_at: Date;
  completed_at: Date | null;
};

export type EnrollmentsStore = ReturnType<typeof createEnrollmentsStore>;

/** Owns the `enrollments` collection: the progress of the last enrollment of each workflow. */
export function createEnrollmentsStore(db: Db) {
  const enrollments = db.collection<EnrollmentDocument>('enrollments');
  const own = (accountId: AccountId, id: WorkflowId) => ({ _id: id, account_id: accountId });

  return {
    prepare: () => prepareCollection(enrollments, [{ key: { account_id: 1 } }], db),

    /** Begins the enrollment of an activation. Returns false if that activation already has one. */
    async begin(tx: Transaction, accountId: AccountId, { id, activated_at, trigger }: Workflow, now: Date): Promise<boolean> {
      if (activated_at === null) return false;
      const known = await enrollments.findOne(own(accountId, id), { session: tx.session, projection: { activated_at: 1 } });
      if (known?.activated_at === activated_at) return false;
      const row = {
        ...{ account_id: accountId, activated_at, created_at: now, status: 'running' as const, processed: 0, completed_at: null },
        started: ruleOf(trigger) === undefined ? 0 : null,
      };
      await enrollments.replaceOne(own(accountId, id), row, { session: tx.session, upsert: true });
      return true;
    },

    /** Cancels what runs for another activation, in the transaction that writes the workflow; forgets it with the workflow. */
    async follow(tx: Transaction, accountId: AccountId, { id, status, activated_at }: Workflow, { gone = false } = {}) {
      const { session } = tx;
      if (gone) {
        await enrollments.deleteOne(own(accountId, id), { session });
        return;
      }
      const over = status === 'active' && activated_at !== null ? { activated_at: { $ne: activated_at } } : {};
      const cancelled = { status: 'cancelled' as const, completed_at: new Date() };
      await enrollments.updateOne({ ...own(accountId, id), status: 'running', ...over }, { $set: cancelled }, { session });
    },

    /** Counts a page of members; `started` is null if their rule is evaluated first. `completedAt` is set by the last page. */
    async count(
      tx: Transaction,
      accountId: AccountId,
      id: WorkflowId,
      { processed, started, completedAt }: { processed: number; started: number | null; completedAt: Date | null },
    ) {
      await enrollments.updateOne(
        { ...own(accountId, id), status: 'running' },
        {
          $inc: { processed, ...(started !== null && { started }) },
          ...(completedAt && { $set: { status: 'completed' as const, completed_at: completedAt } }),
        },
        { session: tx.session },
      );
    },

    async find(accountId: AccountId, id: WorkflowId, tx?: Transaction): Promise<Enrollment | null> {
      const found = await enrollments.findOne(own(accountId, id), tx && { session: tx.session });
      if (!found) return null;
      const { created_at, status, processed, started, completed_at } = found;
      return { created_at: created_at.toISOString(), status, processed, started, completed_at: completed_at?.toISOString() ?? null };
    },
  };
}
