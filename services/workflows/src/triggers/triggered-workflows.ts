import type { EventEnvelope } from '@mp/contracts/event';
import type { ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { CandidatesStore } from '../candidates/candidates-store.ts';
import type { Entrant } from '../runs/new-run.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import type { createAffectedWorkflows, OccurrenceKey } from '../workflows/affected-workflows.ts';
import { ruleOf, type Trigger, triggerKey } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { CancelledImportsStore } from './cancelled-imports-store.ts';
import type { ChainsStore } from './chains-store.ts';

export type TriggerDeps = {
  workflows: Pick<WorkflowsStore, 'findMany'>;
  runs: Pick<RunsStore, 'stepsOf'>;
  startRuns: StartRuns;
  chains: Pick<ChainsStore, 'of'>;
  candidates: Pick<CandidatesStore, 'add'>;
  cancelledImports: Pick<CancelledImportsStore, 'among'>;
};

/** An event that may start runs of its contact. */
export type Occasion = {
  event: EventEnvelope;
  contactId: ContactId;
  /** When it happened, if that differs from when it was published. */
  at?: Date;
  /** The same in every event that reports it; the id of the event by default. */
  key?: string;
  /** The trigger without its conditions, which `fits` checks. `step` requested the email that the event is about. */
  trigger: Trigger;
  fits?: (trigger: Trigger, step: string | undefined) => boolean;
  /** The effect that requested the email that the event is about. */
  effectKey?: string | undefined;
} & Pick<Entrant, 'revision' | 'after' | 'data'>;

/** Workflows that an occasion triggers. */
export type Triggering<Of extends Occasion = Occasion> = { occasion: Of; fitting: readonly Workflow[] };

type AffectedBy = Awaited<ReturnType<ReturnType<typeof createAffectedWorkflows>['affectedBy']>>;

/** Correlation ids of effects, see `eventsOfEffects`. */
const effectKeys = /^run_[0-9a-z]{26}:\d+$/;

export const occurrenceKeyOf = ({ event, trigger }: Occasion): OccurrenceKey => ({ accountId: event.account_id, key: triggerKey(trigger) });
export const happenedAt = ({ event, at = new Date(event.time) }: Occasion) => at;
const causeOf = ({ account_id, correlation_id }: EventEnvelope) => ({ accountId: account_id, correlationId: correlation_id });
export const keyOf = ({ event, key = event.id }: Occasion) => key;

/**
 * For each occasion, the workflows that it triggers and that were active by then; none if an import caused it that was cancelled.
 * Reads nothing else if there are none.
 */
export async function triggeredBy<Of extends Occasion>(
  tx: Transaction,
  { workflows, runs, cancelledImports }: Pick<TriggerDeps, 'workflows' | 'runs' | 'cancelledImports'>,
  { occasions, affectedBy }: { occasions: readonly Of[]; affectedBy: AffectedBy },
): Promise<Triggering<Of>[]> {
  const idsOf = (occasion: Of) =>
    affectedBy(occurrenceKeyOf(occasion))
      .triggered.filter(({ activatedAt }) => activatedAt !== null && activatedAt <= happenedAt(occasion))
      .map(({ workflowId }) => workflowId);
  const starting = occasions.filter(({ event }) => event.starts_workflows !== false);
  const known = await workflows.findMany(
    tx,
    starting.flatMap((occasion) => idsOf(occasion).map((workflow_id) => ({ account_id: occasion.event.account_id, workflow_id }))),
  );
  const found = starting.map((occasion) => ({ occasion, fitting: idsOf(occasion).flatMap((id) => known.get(id) ?? []) }));
  const cancelled = await cancelledImports.among(
    tx,
    found.flatMap(({ occasion: { event }, fitting }) => (fitting.length > 0 ? causeOf(event) : [])),
  );
  const all = found.filter(({ occasion: { event } }) => !cancelled.has(event.correlation_id));
  const named = all.flatMap(({ occasion: { effectKey, event }, fitting }) => {
    const isNamed = fitting.some(({ trigger }) => 'step_id' in trigger && trigger.step_id !== undefined);
    return isNamed && effectKey !== undefined ? [{ accountId: event.account_id, key: effectKey }] : [];
  });
  const steps = await runs.stepsOf(tx, named);
  return all.flatMap(({ occasion, fitting }) => {
    const { fits = () => true, effectKey } = occasion;
    const step = effectKey === undefined ? undefined : steps.get(effectKey);
    const those = fitting.filter(({ trigger }) => fits(trigger, step));
    return those.length === 0 ? [] : [{ occasion, fitting: those }];
  });
}

/**
 * Starts a run in every workflow that an event triggers; with a rule in the trigger, the contact is a candidate until the rule is
 * evaluated. An event caused by an effect starts each workflow only once per chain, so that workflows that trigger each other stop.
 */
export async function triggerByEvents(
  tx: Transaction,
  { startRuns, chains, candidates }: Pick<TriggerDeps, 'startRuns' | 'chains' | 'candidates'>,
  triggering: readonly Triggering[],
) {
  if (triggering.length === 0) return;
  const isOfEffect = ({ event }: Occasion) => effectKeys.test(event.correlation_id);
  const ofOthers = triggering.filter(({ occasion }) => !isOfEffect(occasion));
  const tracked = await chains.of(
    tx,
    ofOthers.map(({ occasion }) => ({ accountId: occasion.event.account_id, eventId: keyOf(occasion) })),
  );
  const entering = triggering.flatMap(({ occasion, fitting }) => {
    const { event, contactId, revision, after, data } = occasion;
    const chain = isOfEffect(occasion) ? event.correlation_id : (tracked.get(keyOf(occasion)) ?? null);
    const optional = { ...(revision !== undefined && { revision }), ...(after && { after }), ...(data && { data }) };
    const entrant = { ...optional, contactId, at: happenedAt(occasion), key: keyOf(occasion), chain };
    return fitting.map((workflow) => ({ accountId: event.account_id, workflow, event, entrant }));
  });
  const [ruled, free] = [entering.filter(hasRule), entering.filter((one) => !hasRule(one))];
  await candidates.add(
    tx,
    ruled.map(({ workflow, event, entrant }) => ({ ...causeOf(event), workflowId: workflow.id, eventId: event.id, entrant })),
  );
  await startRuns(
    tx,
    free.map(({ accountId, workflow, event, entrant }) => ({
      ...{ accountId, workflow, entrant, cause: tx.causedBy?.(event.data) },
      trigger: { type: workflow.trigger.type, event_id: event.id },
    })),
  );
}

const hasRule = ({ workflow }: { workflow: Workflow }) => ruleOf(workflow.trigger) !== undefined;
