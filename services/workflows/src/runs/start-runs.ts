import type { RunId } from '@mp/ids';
import { causedBy } from '@mp/service-kit/caused-by';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { AdvanceWithRecent } from '../occurrences/advance-with-recent.ts';
import type { FindApprovedTemplates } from '../workflows/approval/approved-templates.ts';
import { definitionOf } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { Holds } from './apply-inputs.ts';
import { capacityOf } from './capacity.ts';
import { admit, openLocks } from './entry-policy.ts';
import { isInner, type TakeInner } from './inner-effect.ts';
import type { LogFirstEmail } from './log-first-email.ts';
import type { Start } from './new-run.ts';
import { type Advanced, isOpen } from './run.ts';
import type { StoredRun } from './run-document.ts';
import { eventsOfEffects, eventsOfEnd, eventsOfStart, sendsTemplate, wantsMail } from './run-events.ts';
import { watchesOf } from './run-watches.ts';
import type { RunsStore } from './runs-store.ts';

export type StartRuns = ReturnType<typeof createStartRuns>;

/** The run that started, or the id of the run that prevents it. */
export type Entered = { run: StoredRun } | { existing: RunId };

type Deps = {
  workflows: Pick<WorkflowsStore, 'applied'>;
  runs: Pick<RunsStore, 'taken' | 'insertMany'>;
  delivered: DeliveredStore;
  findApprovedTemplates: FindApprovedTemplates;
  advanceWithRecent: AdvanceWithRecent;
  outbox: Outbox;
  logFirstEmail: LogFirstEmail;
  takeInner: TakeInner;
  clock: Clock;
  holds: Holds;
};

/**
 * Keep a transaction small, which MongoDB 4.0 limits to 16 MiB: so many runs take their first step when they start, and request so
 * many characters of emails. The engine takes the first steps of the others.
 */
const maxFirst = { steps: 200, characters: 4 * 2 ** 20 };

/**
 * Starts runs for the contacts that the entry policies admit. A unique index over locks enforces the policy across
 * replicas: the later one gets E11000 and finds the earlier run when it retries. A run takes its first step in the transaction that
 * starts it, and those that follow if they need nothing outside. While `holds`, runs take no step.
 */
export function createStartRuns(deps: Deps) {
  const { workflows, runs, delivered, findApprovedTemplates, advanceWithRecent, outbox, logFirstEmail, takeInner, clock, holds } = deps;

  return async function startRuns(tx: Transaction, starts: readonly Start[], depth = 0): Promise<Entered[]> {
    if (starts.length === 0) return [];
    const now = clock();
    const outcomes = await admit(runs, tx, starts, now);
    const entering = [];
    for (const outcome of outcomes) {
      if ('existing' in outcome) continue;
      const { accountId, workflow } = outcome.start;
      entering.push({ ...outcome, definition: await workflows.applied(accountId, definitionOf(workflow)) });
    }

    const first = entering.filter(({ start }) => start.entrant.startAt === undefined && !holds(start.accountId)).slice(0, maxFirst.steps);
    const advanced = await advanceWithRecent(
      tx,
      first.map(({ definition, run }) => ({ definition, before: run, input: { type: 'wake' } })),
      now,
    );
    let room = maxFirst.characters;
    const steps = new Map<RunId, Advanced>();
    for (const [index, { run }] of first.entries()) {
      const step = advanced[index];
      if (!step || room < 0) continue;
      room -= charactersOf(step);
      steps.set(run.id, step);
    }

    const begun = entering.map(({ start: { entrant, cause }, run, locks, definition }) => {
      const step = steps.get(run.id) ?? { run, effects: [], wakeAt: entrant.startAt ?? now, log: [], passages: [] };
      const closed = !isOpen(step.run);
      const stored: StoredRun = { ...run, ...step.run, due_at: step.wakeAt, ended_at: closed ? now : null };
      return {
        run: stored,
        locks: closed ? locks.filter((lock) => !openLocks.test(lock)) : locks,
        watches: watchesOf(definition, step.run),
        capacity: capacityOf(definition, step.run),
        log: step.log,
        passages: step.passages,
        first: run.step,
        step,
        cause,
        caused: causedBy(tx, cause),
      };
    });
    await runs.insertMany(tx, begun, now);
    const sending = begun.flatMap(({ run, step }) => (sendsTemplate(step) ? run : []));
    const approved = await findApprovedTemplates(tx, sending);
    const events = begun.flatMap(({ run, caused }) => eventsOfStart(outbox, caused, run, now));
    for (const { run, step, caused } of begun) {
      events.push(...(await eventsOfEffects({ outbox, delivered, approved }, caused, run, step)));
      if (wantsMail(step)) logFirstEmail(tx, run);
      events.push(...eventsOfEnd(outbox, caused, run, now));
    }
    await outbox.insert(tx, events);
    const inner = begun.flatMap(({ run, step, cause }) => {
      const [effect] = step.effects;
      return isInner(effect) ? [{ run, effect, cause }] : [];
    });
    const later = await takeInner(tx, inner, depth);
    const byId = new Map([...begun.map(({ run }) => run), ...later].map((run) => [run.id, run]));
    return outcomes.map((outcome) => ('existing' in outcome ? outcome : { run: byId.get(outcome.run.id) ?? outcome.run }));
  };
}

/** About as many characters as its emails have. */
const charactersOf = ({ effects }: Advanced) =>
  effects.reduce((sum, effect) => {
    const { html = null, text = null } = effect.type === 'send' ? effect.message : {};
    return sum + (html?.length ?? 0) + (text?.length ?? 0);
  }, 0);
