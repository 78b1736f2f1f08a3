import { notFound } from '@mp/contracts/errors';
import type { AccountId, ContactId, RunId, WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
import { type Count, countsOf } from '../counts/counts-of.ts';
import { createCountsStore } from '../counts/counts-store.ts';
import { openLocks } from './locks.ts';
import type { LogDocument } from './log-document.ts';
import { type Advanced, isRunState, type LogEntry, openStates, type RunState } from './run.ts';
import {
  documentOf,
  dueUpdate,
  isOpenState,
  type Lane,
  laneOf,
  type RunDocument,
  responsesOf,
  runOf,
  type StoredRun,
} from './run-document.ts';

type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  state?: RunState | undefined;
  step_id?: string | undefined;
  contact_id?: ContactId | undefined;
};

/** A run that starts at the step `first`, after its first change if it has taken one. */
export type Begun = {
  run: StoredRun;
  locks: string[];
  watches: string[];
  log: LogEntry[];
  passages: Advanced['passages'];
  first: string | null;
};

/** Searches that take longer are aborted, so that they do not slow down the runs. */
const maxTimeMS = 10_000;

export type RunsStore = ReturnType<typeof createRunsStore>;

/** The only code that accesses the `runs` and `run_steps` collections, with `claims.ts` and the counters in `counts/`. */
export function createRunsStore(db: Db, cursors: Cursors, onFault: (error: unknown) => void) {
  const runs = db.collection<RunDocument>('runs');
  const log = db.collection<LogDocument>('run_steps');
  const counts = createCountsStore(db);
  const listeners: Record<Lane, Set<(at: Date) => void>> = { due_at: new Set(), call_at: new Set() };
  const tellDue = (lane: Lane, at: Date) => {
    for (const listener of listeners[lane]) listener(at);
  };
  const open = { state: { $in: [...openStates] } };

  return {
    async prepare() {
      await prepareCollection(
        runs,
        [
          { key: { due_at: 1, account_id: 1 }, name: 'due', partialFilterExpression: { due_at: { $exists: true } } },
          {
            key: { call_at: 1, account_id: 1, 'waiting.host': 1 },
            name: 'calls',
            partialFilterExpression: { call_at: { $exists: true } },
          },
          { key: { account_id: 1, workflow_id: 1, contact_id: 1, locks: 1 }, name: 'locks', unique: true },
          { key: { account_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, workflow_id: 1, state: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, workflow_id: 1, step: 1, state: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, contact_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, was: 1 }, name: 'was', partialFilterExpression: { was: { $exists: true } } },
          {
            key: { account_id: 1, contact_id: 1, watches: 1 },
            name: 'watches',
            partialFilterExpression: { watches: { $exists: true } },
          },
        ],
        db,
      );
      await prepareCollection(
        log,
        [
          { key: { account_id: 1, run_id: 1, sequence: 1 }, unique: true },
          {
            key: { uncounted: 1, account_id: 1, workflow_id: 1 },
            name: 'uncounted',
            partialFilterExpression: { uncounted: { $exists: true } },
          },
        ],
        db,
      );
    },

    /** Calls the listener after each commit that set the time of a run in this lane. */
    onDue(lane: Lane, listener: (at: Date) => void) {
      listeners[lane].add(listener);
    },

    /** Inserts started runs with their log. */
    async insertMany(tx: Transaction, begun: readonly Begun[], now: Date) {
      for (let from = 0; from < begun.length; from += 500) {
        const chunk = begun.slice(from, from + 500);
        await runs.insertMany(
          chunk.map(({ run, locks, watches }) => documentOf(run, locks, watches)),
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
    },

    /** The runs of this workflow that hold one of these locks or, as `unless` says, are open or earlier runs of the contacts. */
    async taken(
      accountId: AccountId,
      workflowId: WorkflowId,
      { contactIds, locks, unless }: { contactIds: readonly ContactId[]; locks: readonly string[]; unless: 'open' | 'any' | 'none' },
      tx: Transaction,
    ) {
      const either: Filter<RunDocument>[] = [{ locks: { $in: [...locks] } }];
      if (unless === 'open') either.push(open);
      if (unless === 'any') either.push({});
      return runs
        .find(
          { account_id: accountId, workflow_id: workflowId, contact_id: { $in: [...contactIds] }, $or: either },
          { session: tx.session, projection: { contact_id: 1, state: 1, locks: 1 } },
        )
        .toArray();
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

    /**
     * Writes one change of a run, its timer and its log, if its sequence is still the one before. Otherwise writes nothing
     * and returns false. Without `dueAt`, the timer and the claim stay as they are.
     */
    async move(
      tx: Transaction,
      before: StoredRun,
      { run, log: entries, passages }: Advanced,
      { dueAt, watches, now }: { dueAt: Date | null | undefined; watches: string[]; now: Date },
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
        reached,
        sent,
        engaged,
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
        reached,
        sent,
        engaged,
        ...responsesOf(responses),
      };
      const closed = !isOpenState(state);
      const due = dueAt === undefined ? undefined : dueUpdate(run, dueAt);
      const { matchedCount } = await runs.updateOne(
        { _id: before.id, account_id: before.account_id, sequence: before.sequence },
        {
          $set: { ...changed, ended_at: closed ? now : null, ...(watches.length > 0 && { watches }), ...due?.$set },
          $unset: { ...due?.$unset, ...(watches.length === 0 && { watches: '' as const }) },
          ...(closed && { $pull: { locks: openLocks } }),
        },
        { session: tx.session },
      );
      if (matchedCount === 0) return false;
      const counted = countsOf(before, { run, log: entries, passages }, null);
      await log.insertOne(logDocument({ ...before, ...run }, entries, counted, now), { session: tx.session });
      if (dueAt) tx.afterCommit(() => tellDue(laneOf(run), dueAt));
      return true;
    },

    /** Takes the open lock for an ended run again. Throws E11000 when another run holds it. */
    async reopen(tx: Transaction, run: StoredRun, lock: string) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id }, { $addToSet: { locks: lock } }, { session: tx.session });
    },

    /** Ends the claim on a run and sets its next time, unless it has changed. `dueAt` is null when only a reply can advance it. */
    async release(run: StoredRun, dueAt: Date | null) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id, sequence: run.sequence }, dueUpdate(run, dueAt));
      if (dueAt) tellDue(laneOf(run), dueAt);
    },

    /**
     * Makes every open run of a workflow due after a change of the workflow's status, except runs whose webhook is being
     * called, which would be called twice.
     */
    wakeRuns(accountId: AccountId, workflowId: WorkflowId, now: Date) {
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId, ...open };
      Promise.all([
        runs.updateMany({ ...ofWorkflow, 'waiting.for': { $ne: 'webhook' } }, { $set: { due_at: now } }),
        runs.updateMany({ ...ofWorkflow, 'waiting.for': 'webhook', claim: { $exists: false } }, { $set: { call_at: now } }),
      ]).then(() => {
        tellDue('due_at', now);
        tellDue('call_at', now);
      }, onFault);
    },

    /** The open runs of a contact. */
    async openOf(accountId: AccountId, contactId: ContactId, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, contact_id: contactId, ...open }, { session: tx.session })
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
    async give(tx: Transaction, { id, account_id, contact_id }: StoredRun, to: ContactId) {
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
          { account_id: accountId, workflow_id: workflowId, ...open, version: { $ne: version }, ...later },
          { session: tx.session, maxTimeMS },
        )
        .sort({ created_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    async list(accountId: AccountId, workflowId: WorkflowId, query: ListQuery) {
      const { limit, cursor, state, step_id, contact_id } = query;
      const { items, pagination } = await findPage({
        collection: runs,
        filter: {
          account_id: accountId,
          workflow_id: workflowId,
          ...(state && { state }),
          ...(step_id && { step: step_id }),
          ...(contact_id && { contact_id }),
        },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['runs', accountId, workflowId, state, step_id, contact_id],
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
