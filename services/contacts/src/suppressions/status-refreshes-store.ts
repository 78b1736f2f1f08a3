import { type AccountId, type ContactId, newId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Addressed, AddressedBy } from '../contacts/contact-pages.ts';

/** A set of contacts whose status must be updated because a suppression changed. `after` is the last contact done. */
type StatusRefreshDocument = {
  _id: string;
  account_id: AccountId;
  kind: AddressedBy;
  value: string;
  /** Several addresses, instead of `value`. */
  values?: string[];
  after: ContactId | null;
  round: number;
  due_at: Date;
  /** Only if the change is to start no workflow. */
  starts_workflows?: false;
};

export type StatusRefresh = {
  id: string;
  accountId: AccountId;
  kind: AddressedBy;
  value: Addressed;
  after: ContactId | null;
  startsWorkflows: boolean;
};
export type StatusRefreshesStore = ReturnType<typeof createStatusRefreshesStore>;

/**
 * Twice, because a contact written at the same moment may not have seen the suppression. The second round starts when every
 * transaction that was open at that moment has ended.
 */
const rounds = 2;
const secondRoundMs = 90_000;
const leaseMs = 30_000;

/** Owns the `status_refreshes` collection, a queue processed in the background. */
export function createStatusRefreshesStore(db: Db) {
  const refreshes = db.collection<StatusRefreshDocument>('status_refreshes');

  return {
    prepare: () =>
      prepareCollection(
        refreshes,
        [
          { name: 'due', key: { due_at: 1 } },
          { name: 'account', key: { account_id: 1 } },
        ],
        db,
      ),

    async add(
      tx: Transaction,
      accountId: AccountId,
      { kind, value, now = new Date() }: { kind: AddressedBy; value: Addressed; now?: Date },
    ) {
      const quiet = tx.startsWorkflows === false && { starts_workflows: false as const };
      const named = typeof value === 'string' ? { value } : { value: '', values: [...value] };
      await refreshes.insertOne(
        { _id: newId('event'), account_id: accountId, kind, ...named, after: null, round: 0, due_at: now, ...quiet },
        { session: tx.session },
      );
    },

    /** Leases the next due refresh to this process for 30 seconds. */
    async claim(now = new Date()): Promise<StatusRefresh | undefined> {
      const row = await refreshes.findOneAndUpdate(...nextDue(now, leaseMs));
      if (!row) return undefined;
      const { _id: id, account_id: accountId, kind, values, value, after, starts_workflows: startsWorkflows = true } = row;
      return { id, accountId, kind, value: values ?? value, after, startsWorkflows };
    },

    /** The newest refresh whose first round has not finished; undefined if there is none. */
    async newestUnfinished(accountId: AccountId, upTo?: string): Promise<string | undefined> {
      const unfinished = { account_id: accountId, round: 0, ...(upTo !== undefined && { _id: { $lte: upTo } }) };
      return (await refreshes.findOne(unfinished, { sort: { _id: -1 }, projection: { _id: 1 } }))?._id;
    },

    /** Removes an address that no contact has any more from the refreshes. */
    async forget(tx: Transaction, accountId: AccountId, email: string) {
      await refreshes.deleteMany({ account_id: accountId, kind: 'email', value: email }, { session: tx.session });
      await refreshes.updateMany({ account_id: accountId, values: email }, { $pull: { values: email } }, { session: tx.session });
    },

    /** Continues after this contact. */
    async advance(id: string, after: ContactId, now = new Date()) {
      await refreshes.updateOne({ _id: id }, { $set: { after, due_at: now } });
    },

    async finishRound(id: string, now = new Date()) {
      const row = await refreshes.findOneAndUpdate(
        { _id: id },
        { $inc: { round: 1 }, $set: { after: null, due_at: new Date(now.getTime() + secondRoundMs) } },
        { returnDocument: 'after' },
      );
      if ((row?.round ?? 0) >= rounds) await refreshes.deleteOne({ _id: id });
    },
  };
}
