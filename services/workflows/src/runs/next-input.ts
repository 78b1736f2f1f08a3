import type { Clock } from '@mp/service-kit/clock';
import type { Logger } from '@mp/service-kit/logger';
import type { FetchContact } from '../contacts/fetch-contact.ts';
import type { AppliedUntil } from '../occurrences/applied-until.ts';
import type { WorkflowStatus } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ChangeMember } from './change-member.ts';
import { awaitedEffect } from './effect-of.ts';
import type { EvaluateBranch } from './evaluate-branch.ts';
import { type InnerEffect, isInner } from './inner-effect.ts';
import type { Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';
import { watchesOf } from './run-watches.ts';

type Deps = {
  workflows: WorkflowsStore;
  appliedUntil: AppliedUntil;
  evaluateBranch: EvaluateBranch;
  fetchContact: FetchContact;
  changeMember: ChangeMember;
  logger: Logger;
  clock: Clock;
  /** Runs a request during which the job occupies no slot. */
  giveUpPlace: <Result>(request: () => Promise<Result>) => Promise<Result>;
};

/** The run is due, but must not continue before then. */
type Later = { type: 'later'; at: Date };

/** The limit of branches that wait for segments at the same time; others retry later. */
const maxEvaluating = 128;

/** What a claimed run continues with. */
export function createNextInput(deps: Deps) {
  const { workflows, appliedUntil, evaluateBranch, fetchContact, changeMember, logger, clock, giveUpPlace } = deps;
  let asking = 0;

  /** Requests something of another service, in its own place. If it does not reply, the run retries later. */
  async function requestInput({ id, revision }: StoredRun, key: string, request: () => Promise<Input>): Promise<Input> {
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
  async function endWait(run: StoredRun, until: Date): Promise<Input | (() => Promise<Input | Later>)> {
    const watches = watchesOf(await workflows.definition(run.account_id, run.workflow_id, run.version), run);
    if (watches.length === 0) return { type: 'wake' };
    return async () => {
      const againMs = await giveUpPlace(() => appliedUntil(run.account_id, watches, until));
      return againMs === 0 ? { type: 'wake' } : { type: 'later', at: new Date(clock().getTime() + againMs) };
    };
  }

  async function evaluateRules(run: StoredRun, { key, rules, fresh }: Effect & { type: 'ask' }): Promise<Input> {
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

  /**
   * The next input of a claimed run, or how to get it if another service must be asked; undefined while the run only waits for time
   * to pass.
   */
  return async function nextInput(
    run: StoredRun,
    status: WorkflowStatus | undefined,
  ): Promise<Input | InnerEffect | (() => Promise<Input | Later>) | undefined> {
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
    if (effect?.type === 'ask') return () => requestInput(run, effect.key, () => evaluateRules(run, effect));
    if (effect?.type === 'look_up') return () => requestInput(run, effect.key, () => lookUp(run, effect.key));
    if (effect?.type === 'member') return () => requestInput(run, effect.key, () => changeMember(run, effect));
    return { type: 'wake' };
  };
}
