import {
  ContactEffectRequested,
  EffectDelivered,
  NotifyEffectRequested,
  RunEnded,
  SendEffectRequested,
} from '@mp/contracts/events/workflows';
import type { AccountId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { AdvanceWithRecent } from '../occurrences/advance-with-recent.ts';
import type { Definition } from '../workflows/definition.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { AnnounceFirstMail } from './announce-first-mail.ts';
import { capacityOf } from './capacity.ts';
import { type Advanced, type Input, isOpen } from './run.ts';
import { laneOf, type StoredRun } from './run-document.ts';
import { watchesOf } from './run-watches.ts';
import type { RunsStore } from './runs-store.ts';

export type MoveRun = ReturnType<typeof createMoveRun>;

type Deps = {
  runs: RunsStore;
  workflows: WorkflowsStore;
  delivered: DeliveredStore;
  advanceWithRecent: AdvanceWithRecent;
  outbox: Outbox;
  announceFirstMail: AnnounceFirstMail;
  clock: Clock;
  holds?: Holds;
};

/** Whether runs of the account start but take no step: in MAINTENANCE mode, or while the account is suspended. */
export type Holds = (accountId: AccountId) => boolean;

/** How often a run held by a pause is checked, in case the signal that the pause has ended is lost. */
export const heldMs = 60_000;

/** Applies one input to a run: writes its state, timer, log and requested effects in one transaction. */
export function createMoveRun(deps: Deps) {
  const { runs, workflows, delivered, advanceWithRecent, outbox, announceFirstMail, clock, holds = () => false } = deps;
  /**
   * Returns the new run: the same object when the input does not apply, undefined when another worker changed it first.
   * With `lease`, a run whose branch can be evaluated immediately stays with the engine that holds it.
   */
  return async function moveRun(tx: Transaction, before: StoredRun, input: Input, lease?: Date): Promise<StoredRun | undefined> {
    const now = clock();
    const version = input.type === 'moved_version' ? input.version : before.version;
    const definition = await workflows.definition(before.account_id, before.workflow_id, version);
    const hold = 'hold' in input && input.hold === true;
    const advanced = await advanceWithRecent(tx, { definition, before, input, now, hold });
    if (advanced.run === before) return before;
    const isMerge = input.type === 'moved_contact';
    // A call in flight stays with its caller; its result applies to the surviving contact.
    const isSameWait = advanced.run.waiting === before.waiting && isOpen(advanced.run);
    const isKept = (isMerge || isSameWait) && laneOf(before) === 'call_at';
    const dueAt = isKept ? before.due_at : dueAfter(advanced, now, lease, holds(before.account_id) || isMerge);
    const watches = watchesOf(definition, advanced.run);
    const capacity = { before: capacityOf(definition, before), after: capacityOf(definition, advanced.run) };
    if (!(await runs.move(tx, before, advanced, { dueAt: isKept ? undefined : dueAt, watches, capacity, now }))) return undefined;
    if (wantsMail(advanced)) announceFirstMail(tx, before);
    const after: StoredRun = { ...before, ...advanced.run, due_at: dueAt, ended_at: isOpen(advanced.run) ? null : now };
    await publishDelivery(outbox, tx, { before, input, definition, now });
    await publishEffects({ outbox, delivered }, tx, after, advanced);
    await publishEnd(outbox, tx, after, now);
    return after;
  };
}

function dueAfter({ run, wakeAt }: Advanced, now: Date, lease: Date | undefined, isImmediate: boolean): Date | null {
  if (!isOpen(run)) return null;
  // A held run, or one that has not taken its first step, continues as soon as an engine can claim it again.
  if (run.waiting === null) return new Date(now.getTime() + (isImmediate ? 0 : heldMs));
  return lease && run.waiting.for === 'answer' && wakeAt && wakeAt <= now ? lease : wakeAt;
}

type Publishing = { outbox: Outbox; delivered: DeliveredStore };

/** All effects of a chain have its name as correlation id, so that a trigger can detect the chain that caused it. */
export async function publishEffects({ outbox, delivered }: Publishing, tx: Transaction, run: StoredRun, { effects }: Advanced) {
  for (const effect of effects) {
    const origin = { ...tx, correlationId: run.chain ?? effect.key };
    const named = { effect_key: effect.key, run_id: run.id, workflow_id: run.workflow_id, contact_id: run.contact_id };
    if (effect.type === 'contact') await outbox.add(origin, ContactEffectRequested, run.account_id, { ...named, change: effect.change });
    if (effect.type === 'notify') await outbox.add(origin, NotifyEffectRequested, run.account_id, { ...named, ...effect.notification });
    if (effect.type === 'send') {
      const at = await delivered.take(run, run.step, effect.key, tx);
      const sent = at && { delivered_at: at.toISOString() };
      await outbox.add(origin, SendEffectRequested, run.account_id, {
        ...named,
        ...(run.step !== null && { step_id: run.step }),
        ...sent,
        ...dataOf(run),
        category: effect.category,
        message: effect.message,
      });
    }
  }
}

/** What messages can read of the run; omitted when there is none. */
const dataOf = ({ data, responses }: StoredRun) => ({
  ...(Object.keys(data).length > 0 && { data }),
  ...(Object.keys(responses).length > 0 && { responses }),
});

export const wantsMail = ({ effects }: Advanced) => effects.some(({ type }) => type === 'send');

/** Publishes what was delivered, so that restoring an older backup does not deliver it again. */
async function publishDelivery(
  outbox: Outbox,
  tx: Transaction,
  { before, input, definition: { steps }, now }: { before: StoredRun; input: Input; definition: Definition; now: Date },
) {
  const isWebhook = input.type === 'webhook_answered' && input.outcome.ok;
  const step = steps.find(({ id }) => id === before.step);
  const isSent = input.type === 'effect_completed' && input.status === 'done' && step?.type === 'send';
  if (!step || !(isWebhook || isSent)) return;
  const { id: run_id, workflow_id, contact_id, account_id } = before;
  const left = { effect_key: input.key, run_id, workflow_id, contact_id, step: step.id, at: now.toISOString() };
  await outbox.add(tx, EffectDelivered, account_id, { ...left, type: isWebhook ? 'webhook' : 'send' });
}

export async function publishEnd(outbox: Outbox, tx: Transaction, run: StoredRun, now: Date) {
  if (run.state === 'active' || run.state === 'waiting') return;
  const { id, workflow_id, workflow_name, contact_id, state, reason } = run;
  // Consumers of version 1 know four states: a converted run is completed, with this reason.
  const ended = state === 'converted' ? { state: 'completed' as const, reason: 'converted' } : { state, reason };
  await outbox.add(tx, RunEnded, run.account_id, {
    run_id: id,
    workflow_id,
    workflow_name,
    contact_id,
    at: now.toISOString(),
    ...ended,
  });
}
