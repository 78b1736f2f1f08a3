import { EventContactsCount, EventContactsPage } from '@mp/contracts/requests/leadpulse';
import { EventWhere, eventWhereHolds } from '@mp/rules/where';
import type { Broker } from '@mp/service-kit/broker';
import type { PastEvents } from './event-contacts.ts';
import type { EventsStore } from './events-store.ts';

type Deps = { broker: Pick<Broker, 'reply'>; events: Pick<EventsStore, 'contactsPage' | 'countContacts'> };

const pastEvents = ({ event, where, from, until }: { event: string; where?: unknown; from: string; until: string }): PastEvents => ({
  ...{ name: event, from: new Date(from), until: new Date(until) },
  fits: where === undefined ? () => true : eventWhereHolds(EventWhere.parse(where)),
});

/** The contacts that had an event in the past, for workflows that start with it. */
export const repliesToEventContacts = ({ broker, events }: Deps) => [
  () =>
    broker.reply(EventContactsPage, ({ account_id, after, limit, ...query }) =>
      events.contactsPage(account_id, pastEvents(query), { after, limit }),
    ),
  () => broker.reply(EventContactsCount, ({ account_id, ...query }) => events.countContacts(account_id, pastEvents(query))),
];
