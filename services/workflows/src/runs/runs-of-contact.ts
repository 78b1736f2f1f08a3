import type { AccountId, ContactId, WorkflowId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Filter } from 'mongodb';
import type { CountsStore } from '../counts/counts-store.ts';
import { isOpenRun, type RunCollections } from './run-collections.ts';
import { type RunDocument, runOf, type StoredRun } from './run-document.ts';

/** The runs of contacts: which exclude others, which watch for something, and what happens to them in merges and erasures. */
export function createRunsOfContact({ runs, log }: RunCollections, counts: Pick<CountsStore, 'subtract'>) {
  return {
    /** The runs of this workflow that hold one of these locks or, as `unless` says, are open or earlier runs of the contacts. */
    async taken(
      accountId: AccountId,
      workflowId: WorkflowId,
      { contactIds, locks, unless }: { contactIds: readonly ContactId[]; locks: readonly string[]; unless: 'open' | 'any' | 'none' },
      tx: Transaction,
    ) {
      const either: Filter<RunDocument>[] = [{ locks: { $in: [...locks] } }];
      if (unless === 'open') either.push(isOpenRun);
      if (unless === 'any') either.push({});
      return runs
        .find(
          { account_id: accountId, workflow_id: workflowId, contact_id: { $in: [...contactIds] }, $or: either },
          { session: tx.session, projection: { contact_id: 1, state: 1, locks: 1 } },
        )
        .toArray();
    },

    /** The open runs of a contact. */
    async openOf(accountId: AccountId, contactId: ContactId, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, contact_id: contactId, ...isOpenRun }, { session: tx.session })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** The open runs of a contact that watch for this. */
    async watching(
      tx: Transaction,
      accountId: AccountId,
      { contactId, key, limit }: { contactId: ContactId; key: string; limit: number },
    ): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, contact_id: contactId, watches: key }, { session: tx.session })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** The runs of a contact, the open ones first. */
    async ofContact(accountId: AccountId, contactId: ContactId, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const theirs = { account_id: accountId, contact_id: contactId };
      const found = await runs.find(theirs, { session: tx.session }).sort({ ended_at: 1, created_at: -1 }).limit(limit).toArray();
      return found.map(runOf);
    },

    /** The runs that belonged to this contact before it was merged. */
    async formerlyOf(accountId: AccountId, contactId: ContactId, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const found = await runs.find({ account_id: accountId, was: contactId }, { session: tx.session }).limit(limit).toArray();
      return found.map(runOf);
    },

    /** Whether the other contact has a run that excludes this one under the entry policy. */
    async isTaken(tx: Transaction, run: StoredRun, contactId: ContactId): Promise<boolean> {
      const own = await runs.findOne({ _id: run.id, account_id: run.account_id }, { session: tx.session, projection: { locks: 1 } });
      const there = { account_id: run.account_id, workflow_id: run.workflow_id, contact_id: contactId, locks: { $in: own?.locks ?? [] } };
      return (await runs.findOne(there, { session: tx.session, projection: { _id: 1 } })) !== null;
    },

    /** Moves a run to another contact and records the previous one, or back to an earlier contact when a merge is undone. */
    async transfer(tx: Transaction, { id, account_id, contact_id }: StoredRun, to: ContactId) {
      const mine = { _id: id, account_id };
      const document = await runs.findOne(mine, { session: tx.session, projection: { was: 1 } });
      const before = document?.was ?? [];
      const back = before.indexOf(to);
      const was = back < 0 ? [...before, contact_id] : before.slice(0, back);
      await runs.updateOne(mine, { $set: { contact_id: to, was } }, { session: tx.session });
    },

    /** Deletes the runs of the contacts with their logs, and what they counted. Returns their number. */
    async erase(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
      const theirs = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      const found = await runs.find(theirs, { session: tx.session, projection: { _id: 1 } }).toArray();
      const ids = found.map(({ _id }) => _id);
      for (let from = 0; from < ids.length; from += 500) {
        const chunk = ids.slice(from, from + 500);
        await counts.subtract(tx, accountId, chunk);
        await log.deleteMany({ account_id: accountId, run_id: { $in: chunk } }, { session: tx.session });
      }
      await runs.deleteMany(theirs, { session: tx.session });
      return ids.length;
    },
  };
}
