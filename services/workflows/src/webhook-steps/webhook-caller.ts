import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner, untilDue } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { FetchContact } from '../contacts/fetch-contact.ts';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import { createCallBudget } from '../receivers/call-budget.ts';
import { type ApplyInput, heldMs } from '../runs/apply-inputs.ts';
import type { Claims, DueCall } from '../runs/claims.ts';
import { awaitedEffect } from '../runs/effect-of.ts';
import type { Input } from '../runs/run.ts';
import type { StoredRun } from '../runs/run-document.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import { wakeAtOf } from '../runs/wake-at.ts';
import { readsContact } from '../workflows/placeholders.ts';
import type { WorkflowStatus } from '../workflows/workflow.ts';
import { isOnHold } from '../workflows/workflow-states.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { createCircuits } from './circuits.ts';
import type { CallingRun } from './fill-body.ts';
import type { SendWebhook } from './send-webhook.ts';

export type WebhookCaller = ReturnType<typeof createWebhookCaller>;

type Deps = {
  mongo: Mongo;
  logger: Logger;
  runs: RunsStore;
  claims: Claims;
  workflows: WorkflowsStore;
  applyInput: ApplyInput;
  delivered: Pick<DeliveredStore, 'take'>;
  sendWebhook: SendWebhook;
  fetchContact: FetchContact;
  suspended: Suspended;
  clock: Clock;
  leaseMs?: number | undefined;
};

/** Longer than a call takes. After a crash of the caller, the webhook is called again with the same id. */
const usualLeaseMs = 45_000;

const calledBeforeRestore = { ok: true, retry: false, status: null, detail: 'Called before the backup was restored; not called again.' };
const notResponding = { ok: false, retry: true, status: null, detail: 'Not called: the host has not responded for some time.' };

const candidates = 64;
const againMs = 5_000;

/**
 * Calls the webhooks that runs wait for. It claims only what it can call immediately, so an account whose receivers hang
 * uses no more than its share of the calls and delays no other account.
 */
export function createWebhookCaller(deps: Deps) {
  const {
    mongo,
    logger,
    runs,
    claims,
    workflows,
    applyInput,
    delivered,
    sendWebhook,
    fetchContact,
    suspended,
    clock,
    leaseMs = usualLeaseMs,
  } = deps;
  const budget = createCallBudget();
  const circuits = createCircuits(clock);
  const moving = createFailureLog(logger, 'cannot advance a run after its webhook; retrying');
  const responding = createFailureLog(logger, 'a webhook host does not respond; pausing calls to it');
  const calls = new Set<Promise<void>>();
  const stopping = new AbortController();

  /** The result of the call; undefined when it must wait for its host. */
  async function outcomeOf(run: StoredRun, due: DueCall): Promise<Input | undefined> {
    const definition = await workflows.definition(run.account_id, run.workflow_id, run.version);
    const effect = awaitedEffect(definition, run);
    if (effect?.type !== 'webhook') return { type: 'wake' };
    const { key } = effect;
    if (await delivered.take(run, run.step, key)) return { type: 'webhook_answered', key, outcome: calledBeforeRestore };
    const entry = circuits.enter(due);
    if (entry === 'wait') return undefined;
    if (entry === 'refuse') return { type: 'webhook_answered', key, outcome: notResponding };
    const contact = readsContact(effect.call.body) ? ((await fetchContact(run.account_id, run.contact_id)) ?? null) : null;
    const calling: CallingRun = { ...run, contact };
    const outcome = await sendWebhook(calling, effect, stopping.signal);
    if (outcome.status !== null) circuits.responded(due);
    else if (outcome.retry && !stopping.signal.aborted && circuits.silent(due))
      responding.failed(new Error(outcome.detail), { host: due.host });
    return { type: 'webhook_answered', key, outcome };
  }

  /** Makes one call and advances its run. */
  async function call(run: StoredRun, due: DueCall, status: WorkflowStatus | undefined) {
    if (suspended.has(run.account_id)) return runs.release(run, clock());
    if (isOnHold(status)) return runs.release(run, new Date(clock().getTime() + heldMs));
    const gone = status === undefined ? 'workflow_deleted' : status === 'archived' ? 'workflow_archived' : undefined;
    const isEarly = run.waiting?.for !== 'webhook' || Date.parse(run.waiting.at) > clock().getTime();
    if (isEarly && gone === undefined) return runs.release(run, wakeAtOf(run));
    const input = gone === undefined ? await outcomeOf(run, due) : ({ type: 'exit', reason: gone } as const);
    if (!input) return runs.release(run, wakeAtOf(run));
    if (stopping.signal.aborted && input.type === 'webhook_answered' && !input.outcome.ok) return runs.release(run, clock());
    const origin = { correlationId: run.chain ?? `${run.id}:${run.sequence}`, causationId: null };
    const isMoved = await mongo.transaction(origin, async (tx) => {
      // Read again: during the call the contact may have been merged or the workflow paused.
      const current = await runs.findOne(run.account_id, run.id, tx);
      if (!current) return true;
      const hold = suspended.has(run.account_id) || (await workflows.status(run.account_id, run.workflow_id, tx)) !== 'active';
      return (await applyInput(tx, current, input.type === 'webhook_answered' ? { ...input, hold } : input)) !== current;
    });
    if (!isMoved) await runs.release(run, wakeAtOf(run));
  }

  /** Claims one batch. Returns whether more calls may be due. */
  async function look(): Promise<boolean> {
    const limit = Math.min(candidates, budget.room());
    if (limit <= 0) return false;
    const now = clock();
    const { accounts, hosts } = budget.full();
    const withheld = { accounts: [...accounts, ...suspended.all()], hosts, silent: circuits.waiting() };
    const found = await claims.dueCalls(now, limit, withheld);
    const taken = new Map(found.filter((due) => budget.take(due)).map((due) => [due.id, due]));
    try {
      const claimed = await claims.claimCalls([...taken.keys()], now, new Date(now.getTime() + leaseMs));
      const statuses = claimed.length > 0 ? await workflows.statuses(claimed) : new Map<string, WorkflowStatus>();
      for (const run of claimed) {
        const due = taken.get(run.id);
        taken.delete(run.id);
        if (due) begin(run, due, statuses.get(run.workflow_id));
      }
    } finally {
      for (const due of taken.values()) budget.giveBack(due);
    }
    return found.length === limit;
  }

  function begin(run: StoredRun, due: DueCall, status: WorkflowStatus | undefined) {
    const make = () =>
      call(run, due, status).catch(async (error: unknown) => {
        moving.failed(error, { run: run.id });
        await runs.release(run, new Date(clock().getTime() + againMs)).catch(() => undefined);
      });
    const job = withLogContext({ account_id: run.account_id }, make).finally(() => {
      calls.delete(job);
      budget.giveBack(due);
      runner.wake();
    });
    calls.add(job);
  }

  const runner = createRunner({
    logger,
    warning: 'cannot look for due webhooks; retrying',
    backoffMs: { first: 200, max: 5_000 },
    work: async () => (await look()) || untilDue(await claims.nextCall(), clock()),
  });
  runs.onDue('call_at', (at) => {
    if (at.getTime() <= clock().getTime()) runner.wake();
  });

  return {
    start: runner.start,

    /** Claims nothing new, and releases the runs whose calls are in flight. */
    async stop() {
      await runner.stop();
      stopping.abort();
      await Promise.allSettled(calls);
    },

    /** Looks for due webhooks now; for tests that move the clock. */
    wake: runner.wake,
  };
}
