import type { JournalOf } from '@mp/contracts/journal';
import type { AccountId, ContactId, RunId, WorkflowId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { StoredRun } from '../runs/run-document.ts';

/** A webhook or message delivered after the backup that was restored. `_id` is its effect key. */
type DeliveredDocument = {
  _id: string;
  account_id: AccountId;
  workflow_id: WorkflowId;
  contact_id: ContactId;
  run_id: RunId;
  /** The run is not in the backup; a run that replaces it has another id. */
  run_is_lost: boolean;
  step: string;
  type: 'webhook' | 'send';
  at: Date;
  applied_at: Date;
  /** The key of the one effect that this delivery accounts for. */
  taken_by: string | null;
};

/** Longer than usual delays. */
const keepSeconds = 365 * 24 * 60 * 60;
const recheckMs = 5_000;

export type DeliveredStore = ReturnType<typeof createDeliveredStore>;

/** Owns the `delivered` collection, which is empty unless the platform was restored. */
export function createDeliveredStore(db: Db) {
  const delivered = db.collection<DeliveredDocument>('delivered');
  let any = false;
  let lookedAt = 0;

  /** Avoids a query per step on a platform that was never restored. */
  async function hasAny(now = Date.now()): Promise<boolean> {
    if (now - lookedAt > recheckMs) {
      any = (await delivered.findOne({}, { projection: { _id: 1 } })) !== null;
      lookedAt = now;
    }
    return any;
  }

  return {
    prepare: () =>
      prepareCollection(
        delivered,
        [
          { key: { account_id: 1, workflow_id: 1, contact_id: 1, step: 1 } },
          { key: { account_id: 1, contact_id: 1 } },
          { key: { applied_at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** Returns whether the entry is new. */
    async add(
      { effect_key, account_id, run_id, workflow_id, contact_id, step, type, at }: JournalOf<'effect'>,
      runIsLost: boolean,
      now: Date,
    ) {
      const { upsertedCount } = await delivered.updateOne(
        { _id: effect_key, account_id },
        {
          $setOnInsert: {
            ...{ workflow_id, contact_id, run_id, step, type, at: new Date(at) },
            ...{ run_is_lost: runIsLost, applied_at: now, taken_by: null },
          },
        },
        { upsert: true },
      );
      return upsertedCount === 1;
    },

    /**
     * The time at which this effect was delivered before the restore; undefined when it was not. The same effect always gets
     * the same result. A run in the backup takes its own deliveries. A run that started between the restore and the journal
     * takes those of the lost runs of the same contact.
     */
    async take(run: StoredRun, step: string | null, key: string, tx?: Transaction): Promise<Date | undefined> {
      if (step === null || !(await hasAny())) return undefined;
      const options = tx ? { session: tx.session } : {};
      const { account_id, workflow_id, contact_id } = run;
      const taken = await delivered.findOneAndUpdate(
        {
          ...{ account_id, workflow_id, contact_id, step },
          $or: [
            { taken_by: key },
            { taken_by: null, run_id: run.id },
            { taken_by: null, run_is_lost: true, applied_at: { $gte: run.created_at } },
          ],
        },
        { $set: { taken_by: key } },
        { ...options, sort: { taken_by: -1, at: 1 } },
      );
      return taken?.at;
    },

    async erase(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]) {
      await delivered.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session });
    },
  };
}
