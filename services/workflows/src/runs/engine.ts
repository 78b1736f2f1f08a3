import type { AccountId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { FetchContact } from '../contacts/fetch-contact.ts';
import type { AppliedUntil } from '../occurrences/applied-until.ts';
import type { WorkflowStatus } from '../workflows/workflow.ts';
import { isOnHold } from '../workflows/workflow-states.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { createAccountTurns, type Turn } from './account-turns.ts';
import { type ApplyInputs, heldMs, type Move } from './apply-inputs.ts';
import type { ChangeMember } from './change-member.ts';
import type { Claims } from './claims.ts';
import type { EvaluateBranch } from './evaluate-branch.ts';
import { type InnerEffect, isInner, type TakeInner } from './inner-effect.ts';
import { createNextInput } from './next-input.ts';
import type { Input } from './run.ts';
import { dueFieldOf, type StoredRun } from './run-document.ts';
import type { RunsStore } from './runs-store.ts';
import { wakeAtOf } from './wake-at.ts';

export type Engine = ReturnType<typeof createEngine>;

type Deps = {
  mongo: Mongo;
  logger: Logger;
  runs: RunsStore;
  claims: Claims;
  workflows: WorkflowsStore;
  applyInputs: ApplyInputs;
  appliedUntil: AppliedUntil;
  evaluateBranch: EvaluateBranch;
  fetchContact: FetchContact;
  changeMember: ChangeMember;
  takeInner: TakeInner;
  suspended: Suspended;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** Longer than any step takes. After a crash the engine's runs are free again after this time. */
const usualLeaseMs = 45_000;

/** The pause while there is traffic: a timer set by another process may go unnoticed for this time. */
const pollMs = 1_000;

/** How far it looks ahead for the next timer; as long as a runner rests. */
const horizonMs = 10_000;

/** The pause after a fault that the run did not cause. If even the release cannot be written, the lease expires. */
const againMs = 5_000;

const maxConcurrent = 32;

/** How many runs move in one transaction. */
const maxTogether = 32;

/** How long a group is repeated after a conflict; then its runs move alone. */
const groupConflictMs = 30;

const maxHeld = 512;
const maxHeldPerAccount = 64;

/**
 * Advances due runs. It claims them by lease, so several engines share the work, and the sequence guards against a run
 * that another engine advanced first. Accounts take turns, and each is limited to its share. Webhooks are called by
 * `webhook-steps/webhook-caller.ts`, and a branch that waits for segments does not occupy a slot among the running jobs.
 */
export function createEngine(deps: Deps) {
  const {
    mongo,
    logger,
    runs,
    claims,
    workflows,
    applyInputs,
    appliedUntil,
    evaluateBranch,
    fetchContact,
    changeMember,
    takeInner,
    suspended,
    clock,
    leaseMs = usualLeaseMs,
  } = deps;
  const moving = createFailureLog(logger, 'cannot advance a run; retrying');
  const waiting = createAccountTurns();
  const held = new Map<AccountId, number>();
  const inWork = new Set<Promise<void>>();
  let isStopped = false;
  /** Running jobs that wait for other services, so that they occupy no slot. */
  let away = 0;
  let total = 0;
  let wakeAt = Number.POSITIVE_INFINITY;

  /** Wakes the runner if `at` is due, and otherwise makes sure that it wakes in time. */
  function due(at: Date) {
    if (at.getTime() <= clock().getTime()) runner.wake();
    else if (at.getTime() < wakeAt) {
      wakeAt = at.getTime();
      if (wakeAt < clock().getTime() + pollMs) runner.wake();
    }
  }

  async function giveUpPlace<Result>(request: () => Promise<Result>): Promise<Result> {
    away += 1;
    takeTurns();
    try {
      return await request();
    } finally {
      away -= 1;
    }
  }

  const nextInput = createNextInput({
    ...{ workflows, appliedUntil, evaluateBranch, fetchContact, changeMember, logger, clock, giveUpPlace },
  });

  const originOf = (run: StoredRun) => ({ correlationId: run.chain ?? `${run.id}:${run.sequence}`, causationId: null });
  const newLease = () => new Date(clock().getTime() + leaseMs);

  /** Returns the new run: the same object when nothing applies, undefined when another worker changed it first. */
  async function moved(tx: Transaction, run: StoredRun, input: Input | InnerEffect, lease: Date): Promise<StoredRun | undefined> {
    if (!isInner(input)) return (await applyInputs(tx, [{ before: run, input, lease }]))[0];
    const current = await runs.findOne(run.account_id, run.id, tx);
    if (current?.sequence !== run.sequence) return undefined;
    const [after = run] = await takeInner(tx, [{ run, effect: input, lease }], 0);
    return after;
  }

  /** When a claimed run that must not continue now is released; undefined if it continues. */
  function releasedAt({ run, status }: Turn): { at: Date | null } | undefined {
    // An earlier version of this service kept runs with webhooks in this lane.
    if (dueFieldOf(run) === 'call_at') return { at: wakeAtOf(run) };
    if (suspended.has(run.account_id)) return { at: clock() };
    return isOnHold(status) ? { at: new Date(clock().getTime() + heldMs) } : undefined;
  }

  /** Advances one claimed run until it must wait. */
  async function work({ run: claimed, status }: Turn) {
    for (let run = claimed; ; ) {
      const released = releasedAt({ run, status });
      if (released) return runs.release(run, released.at);
      const next = await nextInput(run, status);
      const input = typeof next === 'function' ? await next() : next;
      if (input?.type === 'later') return runs.release(run, input.at);
      const lease = newLease();
      const after = input && (await mongo.transaction(originOf(run), (tx) => moved(tx, run, input, lease)));
      if (input && after === undefined) return;
      if (after === undefined || after === run) return runs.release(run, wakeAtOf(run));
      if (after.due_at?.getTime() !== lease.getTime()) return;
      run = after;
    }
  }

  /**
   * Moves those of these runs that ask nobody, in one transaction; each of them only if nobody else changed it first. Returns the
   * turns that must be taken alone: all of them if the transaction fails, so that a fault delays only the run that causes it.
   */
  async function workTogether(turns: readonly Turn[]): Promise<Turn[]> {
    const [moves, alone]: [Map<Turn, Move>, Turn[]] = [new Map(), []];
    const lease = newLease();
    try {
      for (const turn of turns) {
        const { run, status } = turn;
        // What fails here fails again when it is taken alone, which reports it.
        const input = releasedAt(turn) ? undefined : await nextInput(run, status).catch(() => undefined);
        if (input === undefined || typeof input === 'function' || isInner(input)) alone.push(turn);
        else moves.set(turn, { before: run, input, lease, cause: originOf(run) });
      }
      const [first] = moves.values();
      if (!first || moves.size === 1) return [...turns];
      const moving = [...moves.values()];
      const moved = await mongo.transaction(originOf(first.before), (tx) => applyInputs(tx, moving), { limitMs: groupConflictMs });
      for (const [index, turn] of [...moves.keys()].entries()) {
        const after = moved[index];
        if (after === turn.run || after?.due_at?.getTime() === lease.getTime()) alone.push({ ...turn, run: after });
      }
      return alone;
    } catch (error) {
      logger.debug({ err: error, runs: turns.length }, 'cannot advance these runs together; each is advanced alone');
      return [...turns];
    }
  }

  async function workAlone(turn: Turn) {
    const advance = () =>
      work(turn).catch(async (error: unknown) => {
        moving.failed(error, { run: turn.run.id });
        await runs.release(turn.run, new Date(clock().getTime() + againMs)).catch(() => undefined);
      });
    await withLogContext({ account_id: turn.run.account_id }, advance);
  }

  function takeTurns() {
    while (inWork.size - away < maxConcurrent) {
      const turns = waiting.next(maxTogether);
      const [first] = turns;
      if (!first) return;
      const isAlone = turns.length === 1;
      const job = (isAlone ? workAlone(first).then(() => []) : workTogether(turns).then(giveBack)).then((left) => {
        inWork.delete(job);
        for (const { run } of turns) hold(run.account_id, -1);
        for (const { run } of left) hold(run.account_id, 1);
        takeTurns();
        if (total < maxHeld / 2) runner.wake();
      });
      inWork.add(job);
    }
  }

  /** Queues turns that must be taken alone before the others of their account. */
  async function giveBack(turns: readonly Turn[]): Promise<readonly Turn[]> {
    if (isStopped) {
      await Promise.allSettled(turns.map(({ run }) => runs.release(run, clock())));
      return [];
    }
    for (const turn of turns) waiting.addFirst(turn);
    return turns;
  }

  function hold(accountId: AccountId, change: number) {
    total += change;
    const count = (held.get(accountId) ?? 0) + change;
    if (count > 0) held.set(accountId, count);
    else held.delete(accountId);
  }

  /** Claims one batch. Returns whether more runs may be due. */
  async function look(): Promise<boolean> {
    const room = maxHeld - total;
    if (room <= 0) return false;
    const now = clock();
    wakeAt = Number.POSITIVE_INFINITY;
    const satisfied = [...held].filter(([, count]) => count >= maxHeldPerAccount).map(([accountId]) => accountId);
    const without = [...satisfied, ...suspended.all()];
    const { claimed, next, full } = await claims.claim({
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      limit: Math.min(room, maxHeldPerAccount),
      without,
      horizon: new Date(now.getTime() + horizonMs),
    });
    if (next) wakeAt = Math.min(wakeAt, next.getTime());
    const statuses = claimed.length > 0 ? await workflows.statuses(claimed) : new Map<string, WorkflowStatus>();
    for (const run of claimed) {
      waiting.add({ run, status: statuses.get(run.workflow_id) });
      hold(run.account_id, 1);
    }
    takeTurns();
    return full;
  }

  const runner = createRunner({
    logger,
    warning: 'cannot look for due runs; retrying',
    backoffMs: { first: 200, max: 5_000 },
    lookEveryMs: pollMs,
    work: async () => (await look()) || { atMostMs: Math.max(1, wakeAt - clock().getTime()) },
  });
  runs.onDue('due_at', due);

  return {
    start: runner.start,

    /** Claims nothing new, finishes the running jobs and releases the queued runs. */
    async stop() {
      await runner.stop();
      isStopped = true;
      await Promise.allSettled([...inWork, ...waiting.clear().map(({ run }) => runs.release(run, clock()))]);
    },

    /** Looks for due runs now; for tests that move the clock. */
    wake: runner.wake,
  };
}
