import { randomUUID } from 'node:crypto';
import { notFound } from '@mp/contracts/errors';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
import { type Advanced, type LogEntry, openStates, type Run, type RunState } from './run.ts';

/** Everything about a run that stays as it was when it began. */
export type Beginning = {
  account_id: string;
  workflow_name: string;
  version: number;
  trigger: { type: string; event_id: string | null };
  data: Record<string, unknown>;
  created_at: Date;
};

export type StoredRun = Run & Beginning & { ended_at: Date | null; due_at: Date | null };

type RunDocument = Omit<Run, 'id'> &
  Omit<Beginning, 'data'> & {
    _id: string;
    data: string;
    ended_at: Date | null;
    /** What makes the run the only one: its trigger, its chain, and under `after_exit` and `once` its being there. */
    locks: string[];
    /** When an engine may take it: its timer, or the end of the lease of the engine that has it. Absent while only an answer moves it. */
    due_at?: Date;
    /** The batch in which an engine took it. */
    claim?: string;
  };

type LogDocument = {
  _id: string;
  account_id: string;
  workflow_id: string;
  run_id: string;
  sequence: number;
  at: Date;
  entries: LogEntry[];
};

export const openLock = 'open';

/** A count that takes longer is given up: it must not hold up the steps of others. */
const maxTimeMS = 10_000;

export type RunsStore = ReturnType<typeof createRunsStore>;

/** The only place that knows the `runs` and `run_steps` collections. */
export function createRunsStore(db: Db, cursors: Cursors, onFault: (error: unknown) => void) {
  const runs = db.collection<RunDocument>('runs');
  const log = db.collection<LogDocument>('run_steps');
  const listeners = new Set<(at: Date) => void>();
  const tellDue = (at: Date) => {
    for (const listener of listeners) listener(at);
  };
  const open = { state: { $in: [...openStates] } };

  return {
    async prepare() {
      await prepareCollection(
        runs,
        [
          { key: { due_at: 1, account_id: 1 }, name: 'due', partialFilterExpression: { due_at: { $exists: true } } },
          { key: { account_id: 1, workflow_id: 1, contact_id: 1, locks: 1 }, name: 'locks', unique: true },
          { key: { account_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, workflow_id: 1, state: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, contact_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
        ],
        db,
      );
      await prepareCollection(
        log,
        [{ key: { account_id: 1, run_id: 1, sequence: 1 }, unique: true }, { key: { account_id: 1, workflow_id: 1 } }],
        db,
      );
    },

    /** Calls the listener after each commit that gave a run a time to be looked at. */
    onDue(listener: (at: Date) => void) {
      listeners.add(listener);
    },

    /** Writes runs as they are after their first move, with what moved them. */
    async insertMany(tx: Transaction, begun: readonly { run: StoredRun; locks: string[]; log: LogEntry[] }[], now: Date) {
      for (let from = 0; from < begun.length; from += 500) {
        const chunk = begun.slice(from, from + 500);
        await runs.insertMany(
          chunk.map(({ run, locks }) => documentOf(run, locks)),
          { session: tx.session },
        );
        const moved = chunk.filter((one) => one.log.length > 0).map(({ run, log }) => logDocument(run, log, now));
        if (moved.length > 0) await log.insertMany(moved, { session: tx.session });
      }
      const due = begun.flatMap(({ run }) => run.due_at ?? []);
      if (due.length > 0) tx.afterCommit(() => tellDue(new Date(Math.min(...due.map(Number)))));
    },

    /** Which of these locks, or open or earlier runs as `unless` says, contacts have in this workflow already. */
    async taken(
      accountId: string,
      workflowId: string,
      { contactIds, locks, unless }: { contactIds: readonly string[]; locks: readonly string[]; unless: 'open' | 'any' | 'none' },
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

    async findOne(accountId: string, id: string, tx?: Transaction): Promise<StoredRun | undefined> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return document ? runOf(document) : undefined;
    },

    /** Throws NOT_FOUND. */
    async get(accountId: string, id: string, tx?: Transaction): Promise<StoredRun> {
      const document = await runs.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return runOf(document);
    },

    /**
     * Writes one move: where the run stands now, its timer and its log, guarded by the sequence before. False when the
     * run has moved meanwhile; then nothing is written.
     */
    async move(tx: Transaction, before: StoredRun, { run, log: entries }: Advanced, dueAt: Date | null, now: Date): Promise<boolean> {
      const { state, reason, step, waiting, sequence, revision, chain } = run;
      const closed = !openStates.some((name) => name === state);
      const { matchedCount } = await runs.updateOne(
        { _id: before.id, account_id: before.account_id, sequence: before.sequence },
        {
          $set: { state, reason, step, waiting, sequence, revision, chain, ended_at: closed ? now : null, ...(dueAt && { due_at: dueAt }) },
          $unset: { claim: '', ...(dueAt ? {} : { due_at: '' }) },
          ...(closed && { $pull: { locks: openLock } }),
        },
        { session: tx.session },
      );
      if (matchedCount === 0) return false;
      await log.insertOne(logDocument({ ...before, ...run }, entries, now), { session: tx.session });
      if (dueAt) tx.afterCommit(() => tellDue(dueAt));
      return true;
    },

    /** Makes an ended run count as being there again. Throws E11000 when another one is. */
    async reopen(tx: Transaction, run: StoredRun) {
      await runs.updateOne({ _id: run.id, account_id: run.account_id }, { $addToSet: { locks: openLock } }, { session: tx.session });
    },

    /**
     * Takes up to `limit` due runs until `leaseUntil`, earliest first and none of the accounts that have their share
     * already. Two engines never hold the same one; `next` is when the first of the others comes due.
     */
    async claim(now: Date, leaseUntil: Date, limit: number, without: readonly string[], horizon: Date) {
      const fair = without.length > 0 ? { account_id: { $nin: [...without] } } : {};
      const found = await runs
        .find({ due_at: { $lte: horizon }, ...fair }, { projection: { due_at: 1 } })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray();
      const due = found.filter(({ due_at }) => due_at !== undefined && due_at <= now).map(({ _id }) => _id);
      const next = found.find(({ due_at }) => due_at !== undefined && due_at > now)?.due_at ?? null;
      if (due.length === 0) return { claimed: [], next, full: false };
      const claim = randomUUID();
      await runs.updateMany({ _id: { $in: due }, due_at: { $lte: now } }, { $set: { due_at: leaseUntil, claim } });
      const claimed = await runs.find({ _id: { $in: due }, claim }).toArray();
      return { claimed: claimed.map(runOf), next, full: found.length === limit };
    },

    /** Gives a run back to be looked at again at that time, if nobody moved it; null when only an answer moves it. */
    async release({ id, account_id, sequence }: StoredRun, dueAt: Date | null) {
      const mine = { _id: id, account_id, sequence };
      if (dueAt) await runs.updateOne(mine, { $set: { due_at: dueAt }, $unset: { claim: '' } });
      else await runs.updateOne(mine, { $unset: { due_at: '', claim: '' } });
      if (dueAt) tellDue(dueAt);
    },

    /** Has every open run of a workflow looked at soon, because the workflow has changed its status. */
    lookAgain(accountId: string, workflowId: string, now: Date) {
      runs
        .updateMany({ account_id: accountId, workflow_id: workflowId, ...open }, { $set: { due_at: now } })
        .then(() => tellDue(now), onFault);
    },

    /** The open runs of a contact. */
    async openOf(accountId: string, contactId: string, limit: number, tx: Transaction): Promise<StoredRun[]> {
      const found = await runs
        .find({ account_id: accountId, contact_id: contactId, ...open }, { session: tx.session })
        .limit(limit)
        .toArray();
      return found.map(runOf);
    },

    /** Removes the runs of a contact with all they say. Returns how many there were. */
    async erase(tx: Transaction, accountId: string, contactIds: readonly string[]): Promise<number> {
      const theirs = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      const found = await runs.find(theirs, { session: tx.session, projection: { _id: 1 } }).toArray();
      const ids = found.map(({ _id }) => _id);
      for (let from = 0; from < ids.length; from += 500) {
        await log.deleteMany({ account_id: accountId, run_id: { $in: ids.slice(from, from + 500) } }, { session: tx.session });
      }
      await runs.deleteMany(theirs, { session: tx.session });
      return ids.length;
    },

    async list(
      accountId: string,
      workflowId: string,
      query: { limit: number; cursor?: string | undefined; state?: RunState | undefined; contact_id?: string | undefined },
    ) {
      const { limit, cursor, state, contact_id } = query;
      const { items, pagination } = await findPage({
        collection: runs,
        filter: { account_id: accountId, workflow_id: workflowId, ...(state && { state }), ...(contact_id && { contact_id }) },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['runs', accountId, workflowId, state, contact_id],
      });
      return { items: items.map(runOf), pagination };
    },

    /** The runs of a workflow by state, and what its steps came to. */
    async count(accountId: string, workflowId: string) {
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId };
      type ByState = { _id: { state: string; step: string | null }; count: number };
      type ByOutcome = { _id: { step: string; what: string }; count: number };
      const [standing, outcomes] = await Promise.all([
        runs
          .aggregate<ByState>([{ $match: ofWorkflow }, { $group: { _id: { state: '$state', step: '$step' }, count: { $sum: 1 } } }], {
            maxTimeMS,
          })
          .toArray(),
        log
          .aggregate<ByOutcome>(
            [
              { $match: ofWorkflow },
              { $unwind: '$entries' },
              { $match: { 'entries.what': { $in: ['done', 'taken', 'skipped'] } } },
              { $group: { _id: { step: '$entries.step', what: '$entries.what' }, count: { $sum: 1 } } },
            ],
            { maxTimeMS },
          )
          .toArray(),
      ]);
      const byState = new Map<string, number>();
      const byStep = new Map<string, { waiting: number; done: number; skipped: number }>();
      const add = (step: string, counted: 'waiting' | 'done' | 'skipped', count: number) => {
        const counts = byStep.get(step) ?? { waiting: 0, done: 0, skipped: 0 };
        byStep.set(step, { ...counts, [counted]: counts[counted] + count });
      };
      for (const { _id, count } of standing) {
        byState.set(_id.state, (byState.get(_id.state) ?? 0) + count);
        if (_id.step !== null && openStates.some((state) => state === _id.state)) add(_id.step, 'waiting', count);
      }
      for (const { _id, count } of outcomes) add(_id.step, _id.what === 'skipped' ? 'skipped' : 'done', count);
      return { byState, byStep };
    },

    /** What happened to a run, the newest `limit` moves in order. */
    async logOf(accountId: string, runId: string, limit: number) {
      const found = await log.find({ account_id: accountId, run_id: runId }).sort({ sequence: -1 }).limit(limit).toArray();
      return found.reverse().map(({ sequence, at, entries }) => ({ sequence, at, entries }));
    },
  };
}

const logDocument = (run: StoredRun, entries: LogEntry[], at: Date): LogDocument => ({
  _id: `${run.id}:${run.sequence}`,
  account_id: run.account_id,
  workflow_id: run.workflow_id,
  run_id: run.id,
  sequence: run.sequence,
  at,
  entries,
});

function documentOf({ id, data, due_at, ...members }: StoredRun, locks: string[]): RunDocument {
  return { _id: id, ...members, data: JSON.stringify(data), locks, ...(due_at && { due_at }) };
}

function runOf({ _id, data, locks, claim, due_at, ...members }: RunDocument): StoredRun {
  return { id: _id, ...members, data: JSON.parse(data), due_at: due_at ?? null };
}
