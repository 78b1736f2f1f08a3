import { emailKey, identifierHashes } from '@mp/contracts/contact';
import type { ContactIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import type { Broker } from '@mp/service-kit/broker';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Event, Person } from '../events/event.ts';
import type { EventsStore } from '../events/events-store.ts';

/** Contacts usually confirms within this time. A backlog there must not hold up the events of an account, or those of the next. */
const maxWaitMs = 1_000;
const lookEveryMs = 20;

/** After a wait in vain, counting the account does not wait for this long, and that of others waits only briefly. */
const withoutWaitingMs = 10_000;
const briefWaitMs = 100;

/** What contacts is told of the person of an event. */
export const identificationOf = (
  accountId: AccountId,
  { id: key, received_at }: Pick<Event, 'id' | 'received_at'>,
  person: Person,
): z.input<typeof ContactIdentified.data> => ({
  key,
  received_at: received_at.toISOString(),
  person: keyOf(person),
  ...person,
  ...identifierHashes(accountId, person),
});

const keyOf = ({ contact_id, external_id, email }: Person) =>
  contact_id ?? (external_id === null ? `email:${emailKey(email ?? '')}` : `external:${external_id}`);

/** Waits for the confirmations of contacts in the database, because another process may receive them. */
export function createUntilApplied({ events, broker }: { events: Pick<EventsStore, 'allApplied'>; broker: Pick<Broker, 'ready'> }) {
  const pausedUntil = new LRUCache<AccountId, number>({ max: 10_000 });
  let briefUntil = 0;
  return async function untilApplied(accountId: AccountId, ids: readonly string[]) {
    if (!broker.ready() || Date.now() < (pausedUntil.get(accountId) ?? 0)) return;
    const end = Date.now() + (Date.now() < briefUntil ? briefWaitMs : maxWaitMs);
    while (!(await events.allApplied(accountId, ids))) {
      if (Date.now() > end) {
        briefUntil = Date.now() + withoutWaitingMs;
        pausedUntil.set(accountId, briefUntil);
        return;
      }
      await pause(lookEveryMs);
    }
  };
}
