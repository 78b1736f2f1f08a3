import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope, EventType } from '@mp/contracts/event';
import * as campaigns from '@mp/contracts/events/campaigns';
import { EventAttributed, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { contactId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { TimelineKind, TimelineStore } from './timeline-store.ts';

type Stores = { contacts: ContactsStore; timeline: TimelineStore };
type Then = (tx: Transaction, accountId: AccountId, contact: Contact, at: Date) => Promise<void>;

/** The fields read from every event; the others become the facts of the entry. */
const Happened = z.object({ contact_id: contactId.nullable(), at: z.iso.datetime().optional(), time: z.iso.datetime().optional() }).loose();

/** Adds each of these events to the timeline of its contact, unless the contact was deleted. */
function keep({ contacts, timeline }: Stores, kind: TimelineKind, events: readonly EventType[], then?: Then): EventHandler[] {
  return events.map((event) =>
    on(event, async (tx, { id, type, time: told, account_id, data }: EventEnvelope<unknown>) => {
      const { contact_id, at, time, ...facts } = Happened.parse(data);
      if (contact_id === null || facts.bot === true) return;
      const contact = await contacts.findOne(account_id, contact_id, tx);
      if (!contact) return;
      // A visitor's event is published again once its contact is known; both are one entry.
      const entryId = typeof facts.event_id === 'string' ? `${contact_id} ${facts.event_id}` : id;
      const happened = new Date(at ?? time ?? told);
      await timeline.put(tx, account_id, { id: entryId, contact_id, at: happened, kind, type, facts });
      await then?.(tx, account_id, contact, happened);
    }),
  );
}

const messageEvents = Object.values(campaigns).filter(
  ({ type }) => type.startsWith('campaigns.message.') && type !== campaigns.MessageReclassified.type,
);

/** A reclassification changes the entry of the event it corrects. */
const onMessageReclassified = ({ contacts, timeline }: Stores) =>
  on(campaigns.MessageReclassified, async (tx, { account_id, data: { contact_id, event_id, machine } }) => {
    const isKnown = await timeline.setFact(tx, account_id, { id: event_id, name: 'machine', value: machine });
    if (isKnown || !(await contacts.findOne(account_id, contact_id, tx))) return;
    throw new Error(`The event ${event_id}, which this event corrects, has not arrived yet.`);
  });

export const onMessage = (stores: Stores) => [...keep(stores, 'message', messageEvents), onMessageReclassified(stores)];
export const onMembership = (stores: Stores) => keep(stores, 'membership', [MembershipEntered, MembershipLeft]);
export const onTracked = (stores: Stores, touchLastSeen: Then) => keep(stores, 'event', [EventTracked, EventAttributed], touchLastSeen);
export const onRun = (stores: Stores) => keep(stores, 'run', [RunStarted, RunEnded]);
