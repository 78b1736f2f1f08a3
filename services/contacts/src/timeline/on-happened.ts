import type { EventEnvelope, EventType } from '@mp/contracts/event';
import * as campaigns from '@mp/contracts/events/campaigns';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { type EventHandler, on } from '@mp/service-kit/consume';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { TimelineKind, TimelineStore } from './timeline-store.ts';

type Stores = { contacts: ContactsStore; timeline: TimelineStore };

/** What is read of everything that happens to a contact; the rest are its facts. */
const Happened = z
  .object({ contact_id: z.string().nullable(), at: z.iso.datetime().optional(), time: z.iso.datetime().optional() })
  .loose();

/** Keeps each of these events in the timeline of its contact, unless the contact is gone. */
function keep({ contacts, timeline }: Stores, kind: TimelineKind, events: readonly EventType[]): EventHandler[] {
  return events.map((event) =>
    on(event, async (tx, { id, type, time: told, account_id, data }: EventEnvelope<unknown>) => {
      const { contact_id, at, time, ...facts } = Happened.parse(data);
      if (contact_id === null || facts.bot === true) return;
      const contact = await contacts.findOne(account_id, contact_id, tx);
      if (!contact) return;
      // A visitor's event is told again once its contact is known: the same event is one entry.
      const entryId = typeof facts.event_id === 'string' ? `${contact_id} ${facts.event_id}` : id;
      await timeline.put(tx, account_id, { id: entryId, contact_id, at: new Date(at ?? time ?? told), kind, type, facts });
    }),
  );
}

const messageEvents = Object.values(campaigns).filter(({ type }) => type.startsWith('campaigns.message.'));

export const onMessage = (stores: Stores) => keep(stores, 'message', messageEvents);
export const onMembership = (stores: Stores) => keep(stores, 'membership', [MembershipEntered, MembershipLeft]);
export const onTracked = (stores: Stores) => keep(stores, 'event', [EventTracked, EventAttributed]);
export const onRun = (stores: Stores) => keep(stores, 'run', [RunStarted, RunEnded]);
