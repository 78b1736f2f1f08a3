import type { EventEnvelope, EventType } from '@mp/contracts/event';
import * as campaigns from '@mp/contracts/events/campaigns';
import { EventAttributed, EventBackfilled, EventTracked } from '@mp/contracts/events/leadpulse';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { RunEnded, RunStarted } from '@mp/contracts/events/workflows';
import { contactId } from '@mp/contracts/ids';
import { type EventHandler, on, onAll } from '@mp/service-kit/consume';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { TouchLastSeen } from '../contacts/touch-last-seen.ts';
import type { GivenTimelineEntry, TimelineKind, TimelineStore } from './timeline-store.ts';

type Stores = { contacts: ContactsStore; timeline: TimelineStore };

/** The fields read from every event; the others become the facts of the entry. */
const Happened = z.object({ contact_id: contactId.nullable(), at: z.iso.datetime().optional(), time: z.iso.datetime().optional() }).loose();

/** The entry of an event; undefined when the event is not of a person that is known. */
function entryOf(kind: TimelineKind, { id, type, time: publishedAt, account_id, data }: EventEnvelope): GivenTimelineEntry | undefined {
  const { contact_id, at, time, ...facts } = Happened.parse(data);
  if (contact_id === null || facts.bot === true) return undefined;
  // A visitor's event is published again once its contact is known; both are one entry.
  const entryId = typeof facts.event_id === 'string' ? `${contact_id} ${facts.event_id}` : id;
  return { id: entryId, account_id, contact_id, at: new Date(at ?? time ?? publishedAt), kind, type, facts };
}

/** Adds each of these events to the timeline of its contact, unless the contact was deleted. */
function keep({ contacts, timeline }: Stores, kind: TimelineKind, events: readonly EventType[], touch?: TouchLastSeen): EventHandler[] {
  return events.map((event) => ({
    ...onAll(event, async (tx, group) => {
      const entries = group.flatMap((one) => entryOf(kind, one) ?? []);
      const lastSeen = await contacts.lastSeen(tx, entries.map(nameOf));
      const known = entries.flatMap((entry) => {
        const contact = lastSeen(nameOf(entry));
        return contact ? [{ entry, seen: { ...contact, accountId: entry.account_id, at: entry.at } }] : [];
      });
      await timeline.put(
        tx,
        known.map(({ entry }) => entry),
      );
      await touch?.(
        tx,
        known.map(({ seen }) => seen),
      );
    }),
    isRelevant: async (one) => entryOf(kind, one) !== undefined,
  }));
}

const nameOf = ({ account_id, contact_id }: GivenTimelineEntry) => ({ accountId: account_id, contactId: contact_id });

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
/** Past events are entries, too. They start nothing, so they do not change when the contact was last seen. */
export const onTracked = (stores: Stores, touchLastSeen: TouchLastSeen) => [
  ...keep(stores, 'event', [EventTracked, EventAttributed], touchLastSeen),
  ...keep(stores, 'event', [EventBackfilled]),
];
export const onRun = (stores: Stores) => keep(stores, 'run', [RunStarted, RunEnded]);
