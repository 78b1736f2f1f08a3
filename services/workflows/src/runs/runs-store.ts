import { notFound } from '@mp/contracts/errors';
import type { AccountId, RunId, WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Count } from '../counts/counter-keys.ts';
import { createCountsStore } from '../counts/counts-store.ts';
import type { Capacity } from './capacity.ts';
import { countsOf } from './counts-of-change.ts';
import type { LogDocument } from './log-document.ts';
import type { Advanced, HeldBy, LogEntry } from './run.ts';
import { type Change, updateOf } from './run-change.ts';
import { openRunFilter, prepareRunCollections, runCollections } from './run-collections.ts';
import { type DueField, documentOf, dueFieldOf, dueUpdate, isOpenState, runOf, type StoredRun } from './run-document.ts';
import { createRunsOfContact } from './runs-of-contact.ts';
import { createRunsOfWorkflow } from './runs-of-workflow.ts';

type CapacityListener = (of: { accountId: AccountId; workflowId: WorkflowId }) => void;

/** A run that starts at the step `first`, after its first change if it has taken one. */
export type Begun = {
  run: StoredRun;
  locks: string[];
  watches: string[];
  capacity?: Capacity | undefined;
  log: LogEntry[];
  passages: Advanced['passages'];
  first: string | null;
};

export type RunsStore = ReturnType<typeof createRunsStore>;

/** Reads and writes runs, with their timers and logs. */
export function createRunsStore(db: Db, cursors: Cursors, onFault: (error: unknown) => void) {
  const collections = runCollections(db);
  const { runs, log } = collections;
  const listeners: Record<DueField, Set<(at: Date) => void>> = { due_at: new Set(), call_at: new Set() };
  const wakeDue = (field: DueField, at: Date) => {
    for (const listener of listeners[field]) listener(at);
  };
  const capacityListeners = new Set<CapacityListener>();
  const publishCapacity: CapacityListener = (of) => {
    for (const listener of capacityListeners) listener(of);
  };
  const workflowOf = ({ account_id: accountId, workflow_id: workflowId }: StoredRun) => ({ accountId, workflowId });

  return {
    ...createRunsOfContact(collections, createCountsStore(db)),
    ...createRunsOfWorkflow(collections, cursors),

    prepare: () => prepareRunCollections(db),

    /** Calls the listener after each commit that set the time of a run in this field. */
    onDue(field: DueField, listener: (at: Date) => void) {
      listeners[field].add(listener);
    },

    /** Calls the listener after each commit after which a waiting run of the workflow may be admitted. */
    onCapacity(listener: CapacityListener) {
      capacityListeners.add(listener);
    },

    /** Inserts started runs with their log. */
    async insertMany(tx: Transaction, begun: readonly Begun[], now: Date) {
      for (let from = 0; from < begun.length; from += 500) {
        const chunk = begun.slice(from, from + 500);
        await runs.insertMany(
          chunk.map(({ run, ...indexed }) => documentOf(run, indexed)),
          { session: tx.session },
        );
        const rows = chunk.map(({ run, log, passages, first }) => {
          return logDocument(run, log, countsOf(undefined, { run, log, passages }, first), now);
        });
        await log.insertMany(rows, { session: tx.session });
      }
      for (const field of ['due_at', 'call_at'] as const) {
        const due = begun.flatMap(({ run }) => (dueFieldOf(run) === field ? (run.due_at ?? []) : []));
        if (due.length > 0) tx.afterCommit(() => wakeDue(field, new Date(Math.min(...due.map(Number)))));
      }
      const awaiting = begun.filter(({ capacity }) => capacity === 'awaited');
      for (const { accountId, workflowId } of new Map(awaiting.map(({ run }) => [run.workflow_id, workflowOf(run)])).values())
        tx.afterCommit(() => publishCapacity({ accountId, workflowId }));
    },

    async findOne(accountId: AccountId, id: RunId, tx?: Transaction): Promise<StoredRun | undefined> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return document ? runOf(document) : undefined;
    },

    /** Those that exist of these runs, of any accounts, by id. */
    async findMany(tx: Transaction, named: readonly { accountId: AccountId; id: RunId }[]): Promise<Map<RunId, StoredRun>> {
      if (named.length === 0) return new Map();
      const account_id = { $in: [...new Set(named.map(({ accountId }) => accountId))] };
      const found = await runs.find({ _id: { $in: named.map(({ id }) => id) }, account_id }, { session: tx.session }).toArray();
      return new Map(found.map((document) => [document._id, runOf(document)]));
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: RunId, tx?: Transaction): Promise<StoredRun> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return runOf(document);
    },

    /** By effect, the step that requested it; without effects of runs that no longer exist. */
    async stepsOf(tx: Transaction, effects: readonly { accountId: AccountId; key: string }[]): Promise<Map<string, string>> {
      if (effects.length === 0) return new Map();
      const accountIds = [...new Set(effects.map(({ accountId }) => accountId))];
      const those = { _id: { $in: effects.map(({ key }) => key) }, account_id: { $in: accountIds } };
      const rows = await log.find(those, { session: tx.session, projection: { entries: 1 } }).toArray();
      return new Map(
        rows.flatMap(({ _id, entries }) => {
          const requested = entries.find(({ key, what }) => key === _id && what === 'requested');
          return requested?.step ? [[_id, requested.step] as const] : [];
        }),
      );
    },

    /**
     * Writes one change of each run, its timer and its log, if its sequence is still the one before. Otherwise writes nothing for
     * this run and returns false for it. Without `dueAt`, the timer and the claim stay as they are.
     */
    async move(tx: Transaction, changes: readonly Change[], now: Date): Promise<boolean[]> {
      const { session } = tx;
      const [first, ...others] = changes;
      if (!first) return [];
      // The result of many updates does not tell which of them found their run.
      const accountIds = [...new Set(changes.map(({ before }) => before.account_id))];
      const these = { _id: { $in: changes.map(({ before }) => before.id) }, account_id: { $in: accountIds } };
      const found = others.length === 0 ? [] : await runs.find(these, { session, projection: { sequence: 1 } }).toArray();
      const sequences = new Map(found.map(({ _id, sequence }) => [_id, sequence]));
      const current = others.length === 0 ? changes : changes.filter(({ before }) => sequences.get(before.id) === before.sequence);
      if (current.length === 0) return changes.map(() => false);
      const { matchedCount } = await runs.bulkWrite(
        current.map((change) => ({ updateOne: updateOf(change, now) })),
        { session, ordered: false },
      );
      if (others.length === 0 && matchedCount === 0) return [false];
      if (matchedCount !== current.length) throw new Error('A run changed in the transaction that moves it.');
      const rows = current.map(({ before, advanced: { run, log: entries, passages } }) => {
        const counted = countsOf(before, { run, log: entries, passages }, null);
        return logDocument({ ...before, ...run }, entries, counted, now);
      });
      await log.insertMany(rows, { session });
      for (const { before, advanced, dueAt, capacity } of current) {
        const { run } = advanced;
        if (dueAt) tx.afterCommit(() => wakeDue(dueFieldOf(run), dueAt));
        const makesRoom = capacity.before === 'used' && !isOpenState(run.state);
        if (capacity.after === 'awaited' || makesRoom) tx.afterCommit(() => publishCapacity(workflowOf(before)));
      }
      const moved = new Set(current);
      return changes.map((change) => moved.has(change));
    },

    /** Takes the open lock for an ended run again. Throws E11000 when another run holds it. */
    async reopen(tx: Transaction, run: StoredRun, lock: string) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id }, { $addToSet: { locks: lock } }, { session: tx.session });
    },

    /** Up to `limit` runs whose email is held by one of these, with an ID after `after`. */
    async heldBy(
      accountId: AccountId,
      held: readonly HeldBy[],
      { after, limit }: { after: RunId | null; limit: number },
    ): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, 'waiting.held': { $in: held }, ...(after !== null && { _id: { $gt: after } }) }, { hint: 'held' })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** Ends the claim on a run and sets its next time, unless it has changed. `dueAt` is null when only a reply can advance it. */
    async release(run: StoredRun, dueAt: Date | null) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id, sequence: run.sequence }, dueUpdate(run, dueAt));
      if (dueAt) wakeDue(dueFieldOf(run), dueAt);
    },

    /**
     * Makes every open run of a workflow due after a change of the workflow's status, except runs whose webhook is being
     * called, which would be called twice. Runs that wait for capacity may be admitted, or exit.
     */
    wakeRuns(accountId: AccountId, workflowId: WorkflowId, now: Date) {
      publishCapacity({ accountId, workflowId });
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId, ...openRunFilter };
      Promise.all([
        runs.updateMany({ ...ofWorkflow, 'waiting.for': { $ne: 'webhook' } }, { $set: { due_at: now } }),
        runs.updateMany({ ...ofWorkflow, 'waiting.for': 'webhook', claim: { $exists: false } }, { $set: { call_at: now } }),
      ]).then(() => {
        wakeDue('due_at', now);
        wakeDue('call_at', now);
      }, onFault);
    },
  };
}

const logDocument = (run: StoredRun, entries: LogEntry[], counts: Count[], at: Date): LogDocument => ({
  _id: `${run.id}:${run.sequence}`,
  account_id: run.account_id,
  workflow_id: run.workflow_id,
  run_id: run.id,
  sequence: run.sequence,
  at,
  entries,
  counts,
  ...(counts.length > 0 && { uncounted: true }),
});
