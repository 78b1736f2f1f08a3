import type { AccountId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { EvaluateBranch } from '../runs/evaluate-branch.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import type { CancelledImportsStore } from '../triggers/cancelled-imports-store.ts';
import { ruleOf } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { Candidate, CandidatesStore } from './candidates-store.ts';

export type Evaluator = ReturnType<typeof createEvaluator>;

type Deps = {
  mongo: Mongo;
  logger: Logger;
  candidates: CandidatesStore;
  workflows: Pick<WorkflowsStore, 'find'>;
  contacts: Pick<ContactsStore, 'survivorOf' | 'lockSurvivor'>;
  evaluateBranch: EvaluateBranch;
  startRuns: StartRuns;
  cancelledImports: Pick<CancelledImportsStore, 'among'>;
  suspended: Suspended;
  clock: Clock;
};

/** Longer than all requests for one candidate take. */
const leaseMs = 45_000;

/** How many candidates of an account are evaluated at the same time, before it is the turn of another account. */
const maxAtOnce = 32;

/** How long the current data is awaited, as at a branch. Whether the contact matches is unknown then, so no run starts. */
const maxWaitMs = 24 * 60 * 60_000;

const lookAgainMs = 1_000;

const waitMs = (attempts: number) => Math.min(60_000, 1_000 * 2 ** Math.min(attempts - 1, 6));

/**
 * Evaluates the rules of triggers and starts the runs of contacts that match. A candidate is removed in the transaction that starts
 * its run, so a crash neither loses nor repeats it. Accounts take turns.
 */
export function createEvaluator(deps: Deps) {
  const { mongo, logger, candidates, workflows, contacts, evaluateBranch, startRuns, cancelledImports, suspended, clock } = deps;
  const failures = createFailureLog(logger, 'cannot evaluate the rule of a trigger; retrying');
  let last: AccountId | null = null;

  /** The rule, while the workflow has the trigger that it had when this happened. */
  const ruleFor = (workflow: Workflow | undefined, { entrant }: Candidate) =>
    workflow?.status === 'active' && workflow.activated_at !== null && Date.parse(workflow.activated_at) <= entrant.at.getTime()
      ? ruleOf(workflow.trigger)
      : undefined;

  async function evaluate(candidate: Candidate) {
    const { accountId, workflowId, entrant, addedAt, attempts } = candidate;
    const rule = ruleFor(await workflows.find(accountId, workflowId), candidate);
    const contactId = await contacts.survivorOf(accountId, entrant.contactId);
    if (!rule || contactId === undefined) return candidates.remove(candidate);
    // A revision is that of the contact as it was then.
    const revision = contactId === entrant.contactId ? (entrant.revision ?? 0) : 0;
    const asker = { account_id: accountId, contact_id: contactId, revision, after: entrant.after ?? [] };
    const evaluated = await evaluateBranch(asker, [rule]);
    const now = clock();
    if (evaluated.known) return evaluated.taken === null ? candidates.remove(candidate) : start(candidate, evaluated.revision);
    if (now.getTime() - addedAt.getTime() < maxWaitMs) return candidates.postpone(candidate, new Date(now.getTime() + waitMs(attempts)));
    logger.warn(
      { workflow: workflowId, contact: contactId },
      'the rule of a trigger could not be evaluated within a day; no run was started',
    );
    return candidates.remove(candidate);
  }

  const start = (candidate: Candidate, revision: number) =>
    mongo.transaction(
      { correlationId: candidate.entrant.chain ?? candidate.eventId ?? candidate.workflowId, causationId: candidate.eventId },
      async (tx) => {
        const { accountId, workflowId, eventId, correlationId, entrant } = candidate;
        const workflow = await workflows.find(accountId, workflowId, tx);
        const contactId = await contacts.lockSurvivor(tx, accountId, entrant.contactId);
        if (!(await candidates.remove(candidate, tx))) return;
        if (!workflow || contactId === undefined || !ruleFor(workflow, candidate)) return;
        const cancelled = await cancelledImports.among(tx, correlationId === null ? [] : [{ accountId, correlationId }]);
        if (cancelled.size > 0) return;
        // Segments has applied the events by now.
        const trigger = { type: workflow.trigger.type, event_id: eventId };
        const current = { ...entrant, contactId, after: [], revision: contactId === entrant.contactId ? revision : 0 };
        await startRuns(tx, [{ accountId, workflow, trigger, entrant: current }]);
      },
    );

  async function evaluateOrRetry(candidate: Candidate) {
    try {
      await evaluate(candidate);
      failures.succeeded();
    } catch (error) {
      failures.failed(error, { workflow: candidate.workflowId });
      await candidates.postpone(candidate, new Date(clock().getTime() + waitMs(candidate.attempts)));
    }
  }

  /** One batch of one account. Returns whether more may be due, and otherwise when to look again while some are due later. */
  async function look(): Promise<boolean | number> {
    const now = clock();
    const accountId = await candidates.accountAfter(last, now, suspended.all());
    if (accountId === undefined) {
      const isAtEnd = last !== null;
      last = null;
      return isAtEnd || ((await candidates.hasAny()) && lookAgainMs);
    }
    last = accountId;
    noteInLogs({ account_id: accountId });
    const leaseUntil = new Date(now.getTime() + leaseMs);
    await Promise.all((await candidates.claim(accountId, { now, leaseUntil, limit: maxAtOnce })).map(evaluateOrRetry));
    return true;
  }

  const runner = createRunner({ logger, warning: 'cannot look for contacts that may start a run; retrying', work: look });
  candidates.onAdded(runner.wake);
  return {
    start: runner.start,
    stop: runner.stop,

    /** Looks for due candidates now; for tests that move the clock. */
    wake: runner.wake,
  };
}
