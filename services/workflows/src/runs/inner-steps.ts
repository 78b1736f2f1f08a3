import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { causedBy } from '@mp/service-kit/caused-by';
import type { Clock } from '@mp/service-kit/clock';
import type { Origin, Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { ChainsStore } from '../triggers/chains-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInputs, Holds } from './apply-inputs.ts';
import type { Inner, TakeInner } from './inner-effect.ts';
import type { Effect, Input } from './run.ts';
import type { StartRuns } from './start-runs.ts';

type Deps = {
  workflows: Pick<WorkflowsStore, 'findMany' | 'statuses'>;
  contacts: Pick<ContactsStore, 'lockSurvivors'>;
  chains: Pick<ChainsStore, 'add'>;
  outbox: Pick<Outbox, 'eventsOf' | 'insert'>;
  startRuns: StartRuns;
  applyInputs: ApplyInputs;
  clock: Clock;
  holds: Holds;
};

/** How many such steps follow one another in a transaction; the engine takes the next. */
const maxDepth = 10;

const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Performs the effects of `start_workflow` and `track_event` steps. While `holds` or the workflow is not active, runs take no step. */
export function createTakeInner({ workflows, contacts, chains, outbox, startRuns, applyInputs, clock, holds }: Deps): TakeInner {
  /** What the effect causes belongs to the run's chain of effects, so that workflows that trigger each other stop. */
  const chainOf = ({ run, effect }: Inner) => run.chain ?? effect.key;

  function causeOf(tx: Transaction, inner: Inner): Origin {
    const { causationId, traceparent } = inner.cause ?? tx;
    return { correlationId: chainOf(inner), causationId, ...(traceparent !== undefined && { traceparent }) };
  }

  const completed = ({ effect: { key } }: Inner, refusal: string | null): Input => ({
    type: 'effect_completed',
    ...{ key, status: refusal === null ? 'done' : 'refused', reason: refusal, revision: null },
  });

  /** Publishes the events that runs track. They stay in the chain, so that a workflow that tracks the event of its own trigger stops. */
  async function track(tx: Transaction, tracked: readonly Inner<Effect & { type: 'track' }>[]): Promise<(string | null)[]> {
    const refusals = tracked.map(({ effect }) => {
      const wrong = Object.entries(effect.properties).find(([, value]) => !isPlain(value));
      return wrong ? `The property ${wrong[0]} must be text, a number, true or false.` : null;
    });
    const allowed = tracked.flatMap((inner, index) => (refusals[index] === null ? [{ ...inner, eventId: newId('activity') }] : []));
    if (allowed.length === 0) return refusals;
    const at = clock();
    await chains.add(
      tx,
      allowed.map((inner) => ({ eventId: inner.eventId, accountId: inner.run.account_id, chain: chainOf(inner), at })),
    );
    const events = allowed.flatMap((inner) => {
      const { run, effect, eventId } = inner;
      const { key, event, properties } = effect;
      return outbox.eventsOf(causedBy(tx, causeOf(tx, inner)), TrackEffectRequested, run.account_id, [
        {
          ...{ effect_key: key, run_id: run.id, workflow_id: run.workflow_id, contact_id: run.contact_id },
          ...{ event_id: eventId, event, properties, time: at.toISOString() },
        },
      ]);
    });
    await outbox.insert(tx, events);
    return refusals;
  }

  /** Starts the runs that runs request. They belong to the same chain of effects. */
  async function start(tx: Transaction, starting: readonly Inner<Effect & { type: 'start' }>[], depth: number): Promise<(string | null)[]> {
    if (starting.length === 0) return [];
    const named = starting.map(({ run, effect }) => ({ account_id: run.account_id, workflow_id: effect.workflowId }));
    const known = await workflows.findMany(tx, named);
    const survivors = await contacts.lockSurvivors(
      tx,
      starting.map(({ run }) => ({ accountId: run.account_id, contactId: run.contact_id })),
    );
    const outcomes = starting.map((inner) => {
      const { run, effect } = inner;
      const workflow = known.get(effect.workflowId);
      if (workflow?.status !== 'active') return `The workflow is ${workflow?.status ?? 'deleted'}.`;
      const contactId = survivors.get(run.contact_id);
      if (contactId === undefined) return 'The contact no longer exists.';
      const entrant = { contactId, key: effect.key, chain: chainOf(inner), data: effect.data };
      return { accountId: run.account_id, workflow, trigger: { type: 'workflow', event_id: null }, entrant, cause: causeOf(tx, inner) };
    });
    const entered = await startRuns(
      tx,
      outcomes.filter((outcome) => typeof outcome !== 'string'),
      depth,
    );
    let next = 0;
    return outcomes.map((outcome) => {
      if (typeof outcome === 'string') return outcome;
      const one = entered[next];
      next += 1;
      return one && 'run' in one ? null : `The entry policy does not admit the contact again; its run is ${one?.existing}.`;
    });
  }

  return async function takeInner(tx, inner, depth) {
    if (inner.length === 0 || depth >= maxDepth) return [];
    const statuses = await workflows.statuses(
      inner.map(({ run }) => run),
      tx,
    );
    const free = inner.filter(({ run }) => statuses.get(run.workflow_id) === 'active' && !holds(run.account_id));
    const tracked = free.filter((one): one is Inner<Effect & { type: 'track' }> => one.effect.type === 'track');
    const starting = free.filter((one): one is Inner<Effect & { type: 'start' }> => one.effect.type === 'start');
    const refusals = [...(await track(tx, tracked)), ...(await start(tx, starting, depth + 1))];
    const moves = [...tracked, ...starting].map((one, index) => ({
      ...{ before: one.run, lease: one.lease, cause: causeOf(tx, one) },
      input: completed(one, refusals[index] ?? null),
    }));
    const moved = await applyInputs(tx, moves, depth + 1);
    return moved.filter((run) => run !== undefined);
  };
}
