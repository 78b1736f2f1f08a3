import type { AccountId, ContactId, RunId, WorkflowId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Filter } from 'mongodb';
import type { CountsStore } from '../counts/counts-store.ts';
import { type Entering, entryOf } from './entry-policy.ts';
import type { HeldBy } from './run.ts';
import { openRunFilter, type RunCollections } from './run-collections.ts';
import { isOpenState, type RunDocument, runOf, type StoredRun } from './run-document.ts';

type AccountContact = { accountId: AccountId; contactId: ContactId };

const amongst = (contacts: readonly AccountContact[]) => ({
  account_id: { $in: [...new Set(contacts.map(({ accountId }) => accountId))] },
  contact_id: { $in: [...new Set(contacts.map(({ contactId }) => contactId))] },
});

/** The runs of contacts: which exclude others, which watch for something, and what happens to them in merges and erasures. */
export function createRunsOfContact({ runs, log }: RunCollections, counts: Pick<CountsStore, 'subtract'>) {
  return {
    /** For each entrant the run that prevents its entry: one that holds a lock of it or, as `unless` says, an open or earlier one. */
    async taken(tx: Transaction, entrants: readonly Entering[]): Promise<(RunId | undefined)[]> {
      const ofWorkflows = [...Map.groupBy(entrants, ({ workflowId }) => workflowId).values()].flatMap((those) => {
        const [first] = those;
        if (!first) return [];
        const either: Filter<RunDocument>[] = [{ locks: { $in: [...new Set(those.flatMap(({ locks }) => locks))] } }];
        if (first.unless === 'open') either.push(openRunFilter);
        const contactIds = those.map(({ contactId }) => contactId);
        return {
          ...{ account_id: first.accountId, workflow_id: first.workflowId, contact_id: { $in: contactIds } },
          ...(first.unless !== 'any' && { $or: either }),
        };
      });
      const [only, ...others] = ofWorkflows;
      if (!only) return [];
      const projection = { workflow_id: 1, contact_id: 1, state: 1, locks: 1 };
      const found = await runs.find(others.length === 0 ? only : { $or: ofWorkflows }, { session: tx.session, projection }).toArray();
      const byEntrant = Map.groupBy(found, (run) => `${run.workflow_id} ${run.contact_id}`);
      return entrants.map(({ workflowId, contactId, locks, unless }) => {
        const earlier = byEntrant.get(`${workflowId} ${contactId}`) ?? [];
        const isInTheWay = (run: Pick<RunDocument, 'state' | 'locks'>) =>
          unless === 'any' || (unless === 'open' && isOpenState(run.state)) || run.locks.some((lock) => locks.includes(lock));
        return earlier.find(isInTheWay)?._id;
      });
    },

    /** Which of these contacts have a run of the workflow that started with this key. */
    async enteredBy(
      tx: Transaction,
      {
        accountId,
        workflowId,
        contactIds,
        key,
      }: Omit<AccountContact, 'contactId'> & { workflowId: WorkflowId; contactIds: readonly ContactId[]; key: string },
    ): Promise<ReadonlySet<ContactId>> {
      const own = { account_id: accountId, workflow_id: workflowId, contact_id: { $in: [...contactIds] }, locks: entryOf(key) };
      const found = await runs.find(own, { session: tx.session, projection: { contact_id: 1 } }).toArray();
      return new Set(found.map(({ contact_id }) => contact_id));
    },

    /** The open runs of a contact. */
    async openOf(accountId: AccountId, contactId: ContactId, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, contact_id: contactId, ...openRunFilter }, { session: tx.session })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** The open runs of these contacts whose email is held by this, up to `limit` for each contact. */
    async heldOf(tx: Transaction, contacts: readonly AccountContact[], held: HeldBy, limit: number): Promise<StoredRun[]> {
      if (contacts.length === 0) return [];
      const found = await runs
        .find({ ...amongst(contacts), ...openRunFilter, 'waiting.held': held }, { session: tx.session })
        .limit(limit * contacts.length)
        .toArray();
      return found.map(runOf);
    },

    /** For each of these, the open runs of the contact that watch for it, up to `limit` on average. */
    async watching(tx: Transaction, watches: readonly (AccountContact & { key: string })[], limit: number): Promise<StoredRun[][]> {
      if (watches.length === 0) return [];
      const keys = [...new Set(watches.map(({ key }) => key))];
      const found = await runs
        .find({ ...amongst(watches), watches: { $in: keys } }, { session: tx.session })
        .limit(limit * watches.length)
        .toArray();
      return watches.map(({ contactId, key }) =>
        found.filter((run) => run.contact_id === contactId && run.watches?.includes(key)).map(runOf),
      );
    },

    /** By contact, when the last run began that entering the segment of the trigger started since the activation. */
    async begunByEntering(
      tx: Transaction,
      accountId: AccountId,
      workflowId: WorkflowId,
      { contactIds, since }: { contactIds: readonly ContactId[]; since: Date },
    ): Promise<Map<ContactId, string>> {
      const theirs = { account_id: accountId, contact_id: { $in: [...contactIds] }, workflow_id: workflowId };
      const found = await runs
        .find({ ...theirs, created_at: { $gte: since }, 'trigger.type': 'segment_entered' }, { session: tx.session })
        .project<{ contact_id: ContactId; began?: string }>({ contact_id: 1, began: 1 })
        .toArray();
      const latest = new Map<ContactId, string>();
      for (const { contact_id, began = '' } of found) if (began > (latest.get(contact_id) ?? '')) latest.set(contact_id, began);
      return latest;
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

    /**
     * Deletes the runs of the contacts with their logs, and what they counted. Returns their number. Runs that a merge moved to another
     * contact are theirs, too: the undo of the merge has not arrived yet, or another run prevented it.
     */
    async erase(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]): Promise<number> {
      const oneOfThem = { $in: [...contactIds] };
      const theirs = { account_id: accountId, $or: [{ contact_id: oneOfThem }, { was: oneOfThem }] };
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
