import type { AccountId } from '@mp/ids';
import { causedBy } from '@mp/service-kit/caused-by';
import type { Clock } from '@mp/service-kit/clock';
import type { Origin, Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { OutboxEvent } from '@mp/service-kit/outbox-row';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { AdvanceWithRecent, Advancing } from '../occurrences/advance-with-recent.ts';
import type { FindApprovedTemplates } from '../workflows/approval/approved-templates.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { capacityOf } from './capacity.ts';
import { type Inner, isInner, type TakeInner } from './inner-effect.ts';
import type { LogFirstEmail } from './log-first-email.ts';
import { type Advanced, type Input, isOpen } from './run.ts';
import { dueFieldOf, type StoredRun } from './run-document.ts';
import { eventsOfDelivery, eventsOfEffects, eventsOfEnd, sendsTemplate, wantsMail } from './run-events.ts';
import { watchesOf } from './run-watches.ts';
import type { RunsStore } from './runs-store.ts';

export type ApplyInputs = ReturnType<typeof createApplyInputs>;
export type ApplyInput = ReturnType<typeof createApplyInput>;

/**
 * One input of one run. With `lease`, a run whose branch can be evaluated immediately stays with the engine that holds it. `cause`
 * is what causes the change, if the transaction has several causes.
 */
export type Move = { before: StoredRun; input: Input; lease?: Date | undefined; cause?: Origin | undefined };

type Deps = {
  runs: Pick<RunsStore, 'move'>;
  workflows: Pick<WorkflowsStore, 'definition'>;
  delivered: DeliveredStore;
  findApprovedTemplates: FindApprovedTemplates;
  advanceWithRecent: AdvanceWithRecent;
  outbox: Outbox;
  logFirstEmail: LogFirstEmail;
  takeInner: TakeInner;
  clock: Clock;
  holds: Holds;
};

/** Whether runs of the account start but take no step: in MAINTENANCE mode, or while the account is suspended. */
export type Holds = (accountId: AccountId) => boolean;

/** How often a run held by a pause is checked, in case the signal that the pause has ended is lost. */
export const heldMs = 60_000;

/**
 * Applies one input to each of these runs: writes their states, timers, logs and requested effects in one transaction. Steps that
 * need nothing outside follow in it.
 */
export function createApplyInputs(deps: Deps) {
  const { runs, workflows, delivered, findApprovedTemplates, advanceWithRecent, outbox, logFirstEmail, takeInner, clock, holds } = deps;

  /** For each move the new run: the same object when the input does not apply, undefined when another worker changed it first. */
  return async function applyInputs(tx: Transaction, moves: readonly Move[], depth = 0): Promise<(StoredRun | undefined)[]> {
    const now = clock();
    const advancing: Advancing[] = [];
    for (const { before, input } of moves) {
      const version = input.type === 'moved_version' ? input.version : before.version;
      const definition = await workflows.definition(before.account_id, before.workflow_id, version);
      advancing.push({ definition, before, input, hold: 'hold' in input && input.hold === true });
    }
    const advanced = await advanceWithRecent(tx, advancing, now);

    const changes = moves.flatMap(({ before, input, lease, cause }, index) => {
      const [one, next] = [advancing[index], advanced[index]];
      if (!one || !next || next.run === before) return [];
      const { definition } = one;
      const isMerge = input.type === 'moved_contact';
      // A call in flight stays with its caller; its result applies to the surviving contact.
      const isSameWait = next.run.waiting === before.waiting && isOpen(next.run);
      const isKept = (isMerge || isSameWait) && dueFieldOf(before) === 'call_at';
      const due = isKept ? before.due_at : dueAfter(next, now, lease, holds(before.account_id) || isMerge);
      const after: StoredRun = { ...before, ...next.run, due_at: due, ended_at: isOpen(next.run) ? null : now };
      return {
        ...{ before, input, lease, cause, definition, after, advanced: next, dueAt: isKept ? undefined : due },
        watches: watchesOf(definition, next.run),
        capacity: { before: capacityOf(definition, before), after: capacityOf(definition, next.run) },
      };
    });
    const isMoved = await runs.move(tx, changes, now);
    const sending = changes.flatMap(({ after, advanced }) => (sendsTemplate(advanced) ? after : []));
    const approved = await findApprovedTemplates(tx, sending);

    const events: OutboxEvent[] = [];
    const inner: Inner[] = [];
    const results = new Map<StoredRun, StoredRun | undefined>();
    for (const [index, change] of changes.entries()) {
      const { before, after, lease, cause } = change;
      const [effect] = change.advanced.effects;
      results.set(before, isMoved[index] ? after : undefined);
      if (!isMoved[index]) continue;
      if (isInner(effect)) inner.push({ run: after, effect, lease, cause });
      const caused = causedBy(tx, cause);
      if (wantsMail(change.advanced)) logFirstEmail(tx, before);
      events.push(...eventsOfDelivery(outbox, caused, { ...change, now }));
      events.push(...(await eventsOfEffects({ outbox, delivered, approved }, caused, after, change.advanced)));
      events.push(...eventsOfEnd(outbox, caused, after, now));
    }
    await outbox.insert(tx, events);
    const later = new Map((await takeInner(tx, inner, depth)).map((run) => [run.id, run]));
    for (const [before, after] of results) if (after) results.set(before, later.get(before.id) ?? after);
    return moves.map(({ before }) => (results.has(before) ? results.get(before) : before));
  };
}

/** Applies one input to one run, see `applyInputs`. */
export const createApplyInput =
  (applyInputs: ApplyInputs) =>
  async (tx: Transaction, before: StoredRun, input: Input, lease?: Date): Promise<StoredRun | undefined> => {
    const [after] = await applyInputs(tx, [{ before, input, lease }]);
    return after;
  };

function dueAfter({ run, wakeAt }: Advanced, now: Date, lease: Date | undefined, isImmediate: boolean): Date | null {
  if (!isOpen(run)) return null;
  // A held run, or one that has not taken its first step, continues as soon as an engine can claim it again.
  if (run.waiting === null) return new Date(now.getTime() + (isImmediate ? 0 : heldMs));
  return lease && run.waiting.for === 'answer' && wakeAt && wakeAt <= now ? lease : wakeAt;
}
