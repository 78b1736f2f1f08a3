import { EventContactsPage } from '@mp/contracts/requests/leadpulse';
import { positionsOf, requestPositions } from '@mp/contracts/requests/request-positions';
import type { ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { eventData } from '../runs/event-data.ts';
import type { Entrant } from '../runs/new-run.ts';
import type { Trigger } from '../workflows/trigger.ts';
import type { Tick } from './ticks-store.ts';

const maxContacts = 500;
const replyMs = 2_000;

/** What an event depends on: leadpulse attributes it to a contact that it knows. */
const sources = ['contacts', 'leadpulse'] as const;

type Deps = { broker: Pick<Broker, 'request'> };

/** The positions to store until the next look; undefined once leadpulse has every event that was received before the tick. */
export async function positionsToAwait({ broker }: Deps, { account_id, whereabouts }: Tick) {
  const known = await requestPositions((type, request) => broker.request(type, request, replyMs), account_id, sources, whereabouts);
  return positionsOf(sources, known) ? undefined : known;
}

/**
 * A page of the contacts that had the trigger's event, each as its last event would have started a run: with the ID of the event as the
 * key, so that the event starts one run, whether it also arrives or not.
 */
export async function pastEntrants(
  { broker }: Deps,
  { name, where }: Trigger & { type: 'event' },
  { account_id, at, since, after }: Tick & { since: Date },
): Promise<{ entrants: Entrant[]; next: ContactId | null }> {
  const range = { from: since.toISOString(), until: at.toISOString() };
  const { people, next } = await broker.request(EventContactsPage, { account_id, event: name, where, ...range, after, limit: maxContacts });
  const entrants = people.map(({ contact_id, event_id, time, properties, value }): Entrant => {
    const data = eventData({ event: name, time, properties, value });
    return { contactId: contact_id, at, key: event_id, enrollment: at.toISOString(), data };
  });
  return { entrants, next };
}
