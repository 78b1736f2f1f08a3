import {
  ContactEffectRequested,
  EffectDelivered,
  NotifyEffectRequested,
  RunEnded,
  RunStarted,
  SendEffectRequested,
} from '@mp/contracts/events/workflows';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { OutboxEvent } from '@mp/service-kit/outbox-row';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { ApprovedTemplates } from '../workflows/approval/approved-templates.ts';
import type { Definition } from '../workflows/definition.ts';
import type { Advanced, Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';

type Publishing = { outbox: Pick<Outbox, 'eventsOf'>; delivered: DeliveredStore; approved: ApprovedTemplates };

/** All effects of a chain have its name as correlation id, so that a trigger can detect the chain that caused it. */
export async function eventsOfEffects(publishing: Publishing, tx: Transaction, run: StoredRun, { effects }: Advanced) {
  const events: OutboxEvent[] = [];
  for (const effect of effects) events.push(...(await eventsOfEffect(publishing, tx, run, effect)));
  return events;
}

async function eventsOfEffect({ outbox, delivered, approved }: Publishing, tx: Transaction, run: StoredRun, effect: Effect) {
  const origin = correlatedBy(tx, run.chain ?? effect.key);
  const named = { effect_key: effect.key, run_id: run.id, workflow_id: run.workflow_id, contact_id: run.contact_id };
  switch (effect.type) {
    case 'contact':
      return outbox.eventsOf(origin, ContactEffectRequested, run.account_id, [{ ...named, change: effect.change }]);
    case 'notify':
      return outbox.eventsOf(origin, NotifyEffectRequested, run.account_id, [{ ...named, ...effect.notification }]);
    case 'send': {
      const at = await delivered.take(run, run.step, effect.key, tx);
      const template_version = approved.get(run.workflow_id)?.[effect.message.template_id ?? ''];
      const email = {
        ...named,
        ...(run.step !== null && { step_id: run.step }),
        ...(effect.variant !== undefined && { variant: effect.variant }),
        ...(at && { delivered_at: at.toISOString() }),
        ...dataOf(run),
        category: effect.category,
        message: { ...effect.message, ...(template_version !== undefined && { template_version }) },
      };
      return outbox.eventsOf(origin, SendEffectRequested, run.account_id, [email]);
    }
    default:
      return [];
  }
}

/** The transaction with another correlation id, including for what an event of its group causes. */
function correlatedBy(tx: Transaction, correlationId: string): Transaction {
  const { causedBy: causeOf } = tx;
  return { ...tx, correlationId, ...(causeOf && { causedBy: (data: unknown) => ({ ...causeOf(data), correlationId }) }) };
}

/** What messages can read of the run; omitted when there is none. */
const dataOf = ({ data, responses }: StoredRun) => ({
  ...(Object.keys(data).length > 0 && { data }),
  ...(Object.keys(responses).length > 0 && { responses }),
});

export const sendsTemplate = ({ effects }: Advanced) => effects.some((one) => one.type === 'send' && one.message.template_id !== undefined);

export const wantsMail = ({ effects }: Advanced) => effects.some(({ type }) => type === 'send');

/** What was delivered, so that restoring an older backup does not deliver it again. */
export function eventsOfDelivery(
  outbox: Publishing['outbox'],
  tx: Transaction,
  { before, input, definition: { steps }, now }: { before: StoredRun; input: Input; definition: Definition; now: Date },
): OutboxEvent[] {
  const isWebhook = input.type === 'webhook_answered' && input.outcome.ok;
  const step = steps.find(({ id }) => id === before.step);
  const isSent = input.type === 'effect_completed' && input.status === 'done' && step?.type === 'send';
  if (!step || !(isWebhook || isSent)) return [];
  const { id: run_id, workflow_id, contact_id, account_id } = before;
  const left = { effect_key: input.key, run_id, workflow_id, contact_id, step: step.id, at: now.toISOString() };
  return outbox.eventsOf(tx, EffectDelivered, account_id, [{ ...left, type: isWebhook ? 'webhook' : 'send' }]);
}

export function eventsOfStart(outbox: Publishing['outbox'], tx: Transaction, run: StoredRun, now: Date): OutboxEvent[] {
  const { id: run_id, workflow_id, workflow_name, contact_id, account_id } = run;
  return outbox.eventsOf(tx, RunStarted, account_id, [{ run_id, workflow_id, workflow_name, contact_id, at: now.toISOString() }]);
}

export function eventsOfEnd(outbox: Publishing['outbox'], tx: Transaction, run: StoredRun, now: Date): OutboxEvent[] {
  if (run.state === 'active' || run.state === 'waiting') return [];
  const { id: run_id, workflow_id, workflow_name, contact_id, account_id, state, reason } = run;
  // Consumers of version 1 know four states: a converted run is completed, with this reason.
  const ended = state === 'converted' ? { state: 'completed' as const, reason: 'converted' } : { state, reason };
  return outbox.eventsOf(tx, RunEnded, account_id, [{ run_id, workflow_id, workflow_name, contact_id, at: now.toISOString(), ...ended }]);
}
