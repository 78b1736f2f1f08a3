import type { EventEnvelope } from '@mp/contracts/event';
import type { ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { CandidatesStore } from '../candidates/candidates-store.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Entrant, StartRuns } from '../runs/start-runs.ts';
import { ruleOf, type Trigger, triggerKey } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ChainsStore } from './chains-store.ts';

export type TriggerDeps = {
  workflows: WorkflowsStore;
  contacts: ContactsStore;
  startRuns: StartRuns;
  chains: Pick<ChainsStore, 'of'>;
  candidates: Pick<CandidatesStore, 'add'>;
};

type Occasion = {
  event: EventEnvelope;
  contactId: ContactId;
  /** When it happened, if that differs from when it was published. */
  at?: Date;
  /** The trigger without its conditions, which `fits` checks. */
  trigger: Trigger;
  fits?: (trigger: Trigger) => boolean | Promise<boolean>;
} & Pick<Entrant, 'key' | 'revision' | 'after' | 'data'>;

/** Correlation ids of effects, see `publishEffects`. */
const effectKey = /^run_[0-9a-z]{26}:\d+$/;

/**
 * Starts a run in every workflow that the event triggers, if the workflow was active by then; with a rule in the trigger, the contact
 * is a candidate until the rule is evaluated. An event caused by an effect
 * starts each workflow only once per chain, so that workflows that trigger each other stop.
 */
export async function triggerByEvent(
  tx: Transaction,
  { workflows, contacts, startRuns, chains, candidates }: TriggerDeps,
  occasion: Occasion,
) {
  const { event, contactId, at = new Date(event.time), trigger, fits = () => true, key = event.id, ...entrant } = occasion;
  const accountId = event.account_id;
  const triggered = await workflows.triggeredBy(accountId, [triggerKey(trigger)], at, tx);
  const fitting: Workflow[] = [];
  for (const workflow of triggered) if (await fits(workflow.trigger)) fitting.push(workflow);
  if (fitting.length === 0) return;
  const survivor = await contacts.lockSurvivor(tx, accountId, contactId);
  if (survivor === undefined) return;
  const chain = effectKey.test(event.correlation_id) ? event.correlation_id : await chains.of(tx, accountId, key);
  for (const workflow of fitting) {
    if (ruleOf(workflow.trigger)) {
      await candidates.add(tx, accountId, {
        workflowId: workflow.id,
        eventId: event.id,
        entrant: { ...entrant, contactId: survivor, at, key, chain },
      });
      continue;
    }
    await startRuns(tx, accountId, {
      workflow,
      trigger: { type: workflow.trigger.type, event_id: event.id },
      entrants: [{ ...entrant, contactId: survivor, at, key, chain }],
    });
  }
}
