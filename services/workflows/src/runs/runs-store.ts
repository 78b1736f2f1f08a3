import { notFound } from '@mp/contracts/errors';
import type { AccountId, RunId, WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Count } from '../counts/counter-keys.ts';
import { createCountsStore } from '../counts/counts-store.ts';
import type { Capacity } from './capacity.ts';
import { countsOf } from './counts-of-change.ts';
import { openLocks } from './locks.ts';
import type { LogDocument } from './log-document.ts';
import type { Advanced, HeldBy, LogEntry } from './run.ts';
import { isOpenRun, prepareRunCollections, runCollections } from './run-collections.ts';
import { documentOf, dueUpdate, isOpenState, type Lane, laneOf, responsesOf, runOf, type StoredRun } from './run-document.ts';
import { createRunsOfContact } from './runs-of-contact.ts';
import { createRunsOfWorkflow } from './runs-of-workflow.ts';

type CapacityListener = (of: { accountId: AccountId; workflowId: WorkflowId }) => void;

type Moving = {
  dueAt: Date | null | undefined;
  watches: string[];
  capacity: Record<'before' | 'after', Capacity | undefined>;
  now: Date;
};

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
  const listeners: Record<Lane, Set<(at: Date) => void>> = { due_at: new Set(), call_at: new Set() };
  const tellDue = (lane: Lane, at: Date) => {
    for (const listener of listeners[lane]) listener(at);
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

    /** Calls the listener after each commit that set the time of a run in this lane. */
    onDue(lane: Lane, listener: (at: Date) => void) {
      listeners[lane].add(listener);
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
      for (const lane of ['due_at', 'call_at'] as const) {
        const due = begun.flatMap(({ run }) => (laneOf(run) === lane ? (run.due_at ?? []) : []));
        if (due.length > 0) tx.afterCommit(() => tellDue(lane, new Date(Math.min(...due.map(Number)))));
      }
      const awaiting = begun.find(({ capacity }) => capacity === 'awaited');
      if (awaiting) tx.afterCommit(() => publishCapacity(workflowOf(awaiting.run)));
    },

    async findOne(accountId: AccountId, id: RunId, tx?: Transaction): Promise<StoredRun | undefined> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return document ? runOf(document) : undefined;
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: RunId, tx?: Transaction): Promise<StoredRun> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return runOf(document);
    },

    /** The step that requested an effect; undefined if the run no longer exists. */
    async stepOf(tx: Transaction, accountId: AccountId, effectKey: string): Promise<string | undefined> {
      const row = await log.findOne({ _id: effectKey, account_id: accountId }, { session: tx.session, projection: { entries: 1 } });
      return row?.entries.find(({ key, what }) => key === effectKey && what === 'requested')?.step ?? undefined;
    },

    /**
     * Writes one change of a run, its timer and its log, if its sequence is still the one before. Otherwise writes nothing
     * and returns false. Without `dueAt`, the timer and the claim stay as they are.
     */
    async move(
      tx: Transaction,
      before: StoredRun,
      { run, log: entries, passages }: Advanced,
      { dueAt, watches, capacity, now }: Moving,
    ): Promise<boolean> {
      const {
        version,
        state,
        reason,
        step,
        waiting,
        sequence,
        revision,
        after = [],
        chain,
        contact_id,
        began,
        since,
        capped,
        reached,
        sent,
        engaged,
        converted_at,
        responses,
      } = run;
      const changed = {
        version,
        state,
        reason,
        step,
        waiting,
        sequence,
        revision,
        after,
        chain,
        contact_id,
        began,
        ...(since !== undefined && { since }),
        ...(capped !== undefined && { capped }),
        reached,
        sent,
        engaged,
        ...(converted_at !== undefined && { converted_at }),
        ...responsesOf(responses),
      };
      const closed = !isOpenState(state);
      const due = dueAt === undefined ? undefined : dueUpdate(run, dueAt);
      const { matchedCount } = await runs.updateOne(
        { _id: before.id, account_id: before.account_id, sequence: before.sequence },
        {
          $set: {
            ...changed,
            ended_at: closed ? now : null,
            ...(watches.length > 0 && { watches }),
            ...(capacity.after && { capacity: capacity.after }),
            ...due?.$set,
          },
          $unset: {
            ...due?.$unset,
            ...(capped === undefined && { capped: '' as const }),
            ...(watches.length === 0 && { watches: '' as const }),
            ...(!capacity.after && { capacity: '' as const }),
          },
          ...(closed && { $pull: { locks: openLocks } }),
        },
        { session: tx.session },
      );
      if (matchedCount === 0) return false;
      const counted = countsOf(before, { run, log: entries, passages }, null);
      await log.insertOne(logDocument({ ...before, ...run }, entries, counted, now), { session: tx.session });
      if (dueAt) tx.afterCommit(() => tellDue(laneOf(run), dueAt));
      if (capacity.after === 'awaited' || (capacity.before === 'used' && closed)) tx.afterCommit(() => publishCapacity(workflowOf(before)));
      return true;
    },

    /** Takes the open lock for an ended run again. Throws E11000 when another run holds it. */
    async reopen(tx: Transaction, run: StoredRun, lock: string) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id }, { $addToSet: { locks: lock } }, { session: tx.session });
    },

    /** Up to `limit` runs whose email is held by this, with an ID after `after`. */
    async heldBy(accountId: AccountId, held: HeldBy, { after, limit }: { after: RunId | null; limit: number }): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, 'waiting.held': held, ...(after !== null && { _id: { $gt: after } }) }, { hint: 'held' })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** Ends the claim on a run and sets its next time, unless it has changed. `dueAt` is null when only a reply can advance it. */
    async release(run: StoredRun, dueAt: Date | null) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id, sequence: run.sequence }, dueUpdate(run, dueAt));
      if (dueAt) tellDue(laneOf(run), dueAt);
    },

    /**
     * Makes every open run of a workflow due after a change of the workflow's status, except runs whose webhook is being
     * called, which would be called twice. Runs that wait for capacity may be admitted, or exit.
     */
    wakeRuns(accountId: AccountId, workflowId: WorkflowId, now: Date) {
      publishCapacity({ accountId, workflowId });
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId, ...isOpenRun };
      Promise.all([
        runs.updateMany({ ...ofWorkflow, 'waiting.for': { $ne: 'webhook' } }, { $set: { due_at: now } }),
        runs.updateMany({ ...ofWorkflow, 'waiting.for': 'webhook', claim: { $exists: false } }, { $set: { call_at: now } }),
      ]).then(() => {
        tellDue('due_at', now);
        tellDue('call_at', now);
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
