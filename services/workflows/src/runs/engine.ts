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
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ChangeMember } from './change-member.ts';
import type { Claims } from './claims.ts';
import { awaitedEffect } from './effect-of.ts';
import type { EvaluateBranch } from './evaluate-branch.ts';
import { type InnerEffect, isInner, type TakeInner } from './inner.ts';
import { heldMs, type MoveRun } from './move-run.ts';
import type { Effect, Input } from './run.ts';
import { dueFieldOf, type StoredRun } from './run-document.ts';
import { watchesOf } from './run-watches.ts';
import type { RunsStore } from './runs-store.ts';
import { wakeAtOf } from './wake-at.ts';

export type Engine = ReturnType<typeof createEngine>;

type Deps = {
  mongo: Mongo;
  logger: Logger;
  runs: RunsStore;
  claims: Claims;
  workflows: WorkflowsStore;
  moveRun: MoveRun;
  appliedUntil: AppliedUntil;
  evaluateBranch: EvaluateBranch;
  fetchContact: FetchContact;
  changeMember: ChangeMember;
  takeInner: TakeInner;
  suspended: Suspended;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** The run is due, but must not continue before then. */
type Later = { type: 'later'; at: Date };

/** A claimed run and the status of its workflow at that time. */
type Turn = { run: StoredRun; status: WorkflowStatus | undefined };

/** Longer than any step takes. After a crash the engine's runs are free again after this time. */
const usualLeaseMs = 45_000;

/** The pause while there is traffic: a timer set by another process may go unnoticed for this time. */
const pollMs = 1_000;

/** How far it looks ahead for the next timer; as long as a runner rests. */
const horizonMs = 10_000;

/** The pause after a fault that the run did not cause. If even the release cannot be written, the lease expires. */
const againMs = 5_000;

const maxConcurrent = 32;

/** The limit of branches that wait for segments at the same time; others retry later. */
const maxEvaluating = 128;
const maxHeld = 512;
const maxHeldPerAccount = 64;

/**
 * Advances due runs. It claims them by lease, so several engines share the work, and the sequence guards against a run
 * that another engine advanced first. Accounts take turns, and each is limited to its share. Webhooks are called by
 * `webhook-steps/caller.ts`, and a branch that waits for segments does not occupy a place among the running jobs.
 */
export function createEngine(deps: Deps) {
  const {
    mongo,
    logger,
    runs,
    claims,
    workflows,
    moveRun,
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
  /** Claimed runs by account, in the order in which the accounts take turns; of an account, those with a high priority first. */
  const queues = new Map<AccountId, Turn[]>();
  const held = new Map<AccountId, number>();
  const inWork = new Set<Promise<void>>();
  let asking = 0;
  /** Running jobs that wait for other services, so that they occupy no place. */
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

  /** Requests something of another service, in its own place. If it does not reply, the run retries later. */
  async function askOutside({ id, revision }: StoredRun, key: string, request: () => Promise<Input>): Promise<Input> {
    if (asking >= maxEvaluating) return { type: 'unanswered', key, revision };
    asking += 1;
    try {
      return await giveUpPlace(request);
    } catch (error) {
      logger.debug({ err: error, run: id }, 'no reply from another service; retrying the step later');
      return { type: 'unanswered', key, revision };
    } finally {
      asking -= 1;
    }
  }

  /** Ends a wait whose time has passed, once everything that the run watches for has been applied up to that time. */
  async function endWait(run: StoredRun, until: Date): Promise<Input | Later> {
    const watches = watchesOf(await workflows.definition(run.account_id, run.workflow_id, run.version), run);
    if (watches.length === 0) return { type: 'wake' };
    const againMs = await giveUpPlace(() => appliedUntil(run.account_id, watches, until));
    return againMs === 0 ? { type: 'wake' } : { type: 'later', at: new Date(clock().getTime() + againMs) };
  }

  async function ask(run: StoredRun, { key, rules, fresh }: Effect & { type: 'ask' }): Promise<Input> {
    const evaluated = await evaluateBranch(
      run,
      rules.map(({ rule }) => rule),
      { fresh },
    );
    const { revision } = evaluated;
    const taken = evaluated.known && evaluated.taken !== null ? (rules[evaluated.taken]?.index ?? null) : null;
    return evaluated.known ? { type: 'answered', key, taken, revision } : { type: 'unanswered', key, revision };
  }

  async function lookUp({ account_id, contact_id, revision }: StoredRun, key: string): Promise<Input> {
    const contact = (await fetchContact(account_id, contact_id)) ?? null;
    return { type: 'looked_up', key, contact, revision: contact?.revision ?? revision };
  }

  /** The next input of a claimed run; undefined while the run only waits for time to pass. */
  async function nextInput(run: StoredRun, status: WorkflowStatus | undefined): Promise<Input | InnerEffect | Later | undefined> {
    if (status === undefined) return { type: 'exit', reason: 'workflow_deleted' };
    if (status === 'archived') return { type: 'exit', reason: 'workflow_archived' };
    const { waiting } = run;
    if (waiting?.for === 'capacity') return undefined;
    if (waiting === null || waiting.for === 'effect') return { type: 'wake' };
    if (waiting.for === 'time' || waiting.for === 'event') {
      const until = new Date(waiting.until);
      return until > clock() ? undefined : endWait(run, until);
    }
    if (Date.parse(waiting.at) > clock().getTime()) return undefined;
    const definition = await workflows.definition(run.account_id, run.workflow_id, run.version);
    const effect = awaitedEffect(definition, run);
    if (isInner(effect)) return effect;
    if (effect?.type === 'ask') return askOutside(run, effect.key, () => ask(run, effect));
    if (effect?.type === 'look_up') return askOutside(run, effect.key, () => lookUp(run, effect.key));
    if (effect?.type === 'member') return askOutside(run, effect.key, () => changeMember(run, effect));
    return { type: 'wake' };
  }

  /** Returns the new run: the same object when nothing applies, undefined when another worker changed it first. */
  async function moved(tx: Transaction, run: StoredRun, input: Input | InnerEffect, lease: Date): Promise<StoredRun | undefined> {
    if (input.type !== 'start' && input.type !== 'track') return moveRun(tx, run, input, lease);
    const current = await runs.findOne(run.account_id, run.id, tx);
    if (current?.sequence !== run.sequence) return undefined;
    const [after = run] = await takeInner(tx, [{ run, effect: input, lease }], 0);
    return after;
  }

  /** Advances one claimed run until it must wait. */
  async function work({ run: claimed, status }: Turn) {
    for (let run = claimed; ; ) {
      // An earlier version of this service kept runs with webhooks in this lane.
      if (dueFieldOf(run) === 'call_at') return runs.release(run, wakeAtOf(run));
      if (suspended.has(run.account_id)) return runs.release(run, clock());
      if (status === 'paused') return runs.release(run, new Date(clock().getTime() + heldMs));
      const input = await nextInput(run, status);
      if (input?.type === 'later') return runs.release(run, input.at);
      const origin = { correlationId: run.chain ?? `${run.id}:${run.sequence}`, causationId: null };
      const lease = new Date(clock().getTime() + leaseMs);
      const after = input && (await mongo.transaction(origin, (tx) => moved(tx, run, input, lease)));
      if (input && after === undefined) return;
      if (after === undefined || after === run) return runs.release(run, wakeAtOf(run));
      if (after.due_at?.getTime() !== lease.getTime()) return;
      run = after;
    }
  }

  function takeTurns() {
    while (inWork.size - away < maxConcurrent) {
      const [turn] = queues;
      if (!turn) return;
      const [accountId, queue] = turn;
      const next = queue.shift();
      queues.delete(accountId);
      if (queue.length > 0) queues.set(accountId, queue);
      if (!next) continue;
      const advance = () =>
        work(next).catch(async (error: unknown) => {
          moving.failed(error, { run: next.run.id });
          await runs.release(next.run, new Date(clock().getTime() + againMs)).catch(() => undefined);
        });
      const job = withLogContext({ account_id: accountId }, advance).finally(() => {
        inWork.delete(job);
        hold(accountId, -1);
        takeTurns();
        if (total < maxHeld / 2) runner.wake();
      });
      inWork.add(job);
    }
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
      const queue = queues.get(run.account_id) ?? [];
      const turn = { run, status: statuses.get(run.workflow_id) };
      const usual = queue.findIndex((other) => other.run.priority === undefined);
      queue.splice(run.priority === undefined || usual < 0 ? queue.length : usual, 0, turn);
      queues.set(run.account_id, queue);
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
      const waiting = [...queues.values()].flat();
      queues.clear();
      await Promise.allSettled([...inWork, ...waiting.map(({ run }) => runs.release(run, clock()))]);
    },

    /** Looks for due runs now; for tests that move the clock. */
    wake: runner.wake,
  };
}
