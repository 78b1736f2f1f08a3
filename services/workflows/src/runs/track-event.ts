import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { ChainsStore } from '../triggers/chains-store.ts';
import type { Effect, Input } from './run.ts';
import type { StoredRun } from './run-document.ts';

export type TrackEvent = ReturnType<typeof createTrackEvent>;

type Deps = { outbox: Pick<Outbox, 'add'>; chains: ChainsStore; clock: Clock };

const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Publishes the event that a `track_event` step requests, in the transaction that ends the step. The event stays in the run's
 * chain of effects, so that a workflow that tracks the event of its own trigger stops.
 */
export function createTrackEvent({ outbox, chains, clock }: Deps) {
  return async function trackEvent(tx: Transaction, run: StoredRun, effect: Effect & { type: 'track' }): Promise<Input> {
    const { key, event, properties } = effect;
    const completed = { type: 'effect_completed', key, revision: null } as const;
    const wrong = Object.entries(properties).find(([, value]) => !isPlain(value));
    if (wrong) return { ...completed, status: 'refused', reason: `The property ${wrong[0]} must be text, a number, true or false.` };
    const eventId = newId('activity');
    await chains.add(tx, [{ eventId, accountId: run.account_id, chain: run.chain ?? key, at: clock() }]);
    await outbox.add(tx, TrackEffectRequested, run.account_id, {
      ...{ effect_key: key, run_id: run.id, workflow_id: run.workflow_id, contact_id: run.contact_id },
      ...{ event_id: eventId, event, properties, time: clock().toISOString() },
    });
    return { ...completed, status: 'done', reason: null };
  };
}
