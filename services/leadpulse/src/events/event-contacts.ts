import type { EventContactsPage } from '@mp/contracts/requests/leadpulse';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import type { Collection } from 'mongodb';
import type { z } from 'zod';
import { activityOf } from './activity.ts';
import { countedVisitor, type EventDocument, eventOf } from './event-document.ts';

type EventContact = z.output<typeof EventContactsPage.reply>['people'][number];
type Fits = (event: Pick<EventContact, 'properties' | 'value'>) => boolean;

/** Events of one name that happened from `from` and were received until `until`. Bots do nothing. */
export type PastEvents = { name: string; from: Date; until: Date; fits: Fits };

/** A page ends here: a reply between services holds a megabyte, and waits for seconds. */
const maxPageBytes = 400_000;
const maxPageMs = 1_500;

/** Before every contact ID. */
const nobody = trustedId<'contact'>('');

/** The most events that counting reads. */
const maxCounted = 200_000;
const batchSize = 500;

const eventContactOf = (contact_id: ContactId, row: EventDocument): EventContact => {
  const { event_id, time, properties, value } = activityOf(eventOf(row));
  return { contact_id, event_id, time, properties, value };
};

const isMeant = (row: EventDocument, { name, from, until, fits }: PastEvents): boolean =>
  row.name === name &&
  row.visitor !== null &&
  !row.bot &&
  row.time >= from &&
  row.time < until &&
  row.received_at < until &&
  fits(activityOf(eventOf(row)));

/** The contacts behind past events. */
export function createEventContacts(events: Collection<EventDocument>, { nowMs = () => performance.now() } = {}) {
  return {
    /** Some contacts in the order of their IDs, each with its last event that fits. All pages together read each event once. */
    async contactsPage(
      accountId: AccountId,
      query: PastEvents,
      { after, limit }: { after: ContactId | null; limit: number },
    ): Promise<{ people: EventContact[]; next: ContactId | null }> {
      const began = nowMs();
      const people: EventContact[] = [];
      let bytes = 0;
      let last = after;
      const own = { account_id: accountId, contact_id: { $gt: after ?? nobody } };
      const rows = events.find(own, { hint: 'contact' }).sort({ contact_id: 1, time: 1 }).batchSize(batchSize);
      let found: { contactId: ContactId; row: EventDocument } | undefined;
      const close = () => {
        if (!found) return;
        const contact = eventContactOf(found.contactId, found.row);
        bytes += JSON.stringify(contact).length;
        people.push(contact);
        found = undefined;
      };
      for await (const row of rows) {
        const { contact_id } = row;
        if (contact_id === null) continue;
        if (contact_id !== last) {
          close();
          if (last !== after && (people.length >= limit || bytes >= maxPageBytes || nowMs() - began > maxPageMs))
            return { people, next: last };
          last = contact_id;
        }
        if (isMeant(row, query)) found = { contactId: contact_id, row };
      }
      close();
      return { people, next: null };
    },

    /** How many contacts these are; at least, if there are very many events. */
    async countContacts(accountId: AccountId, query: PastEvents): Promise<{ contacts: number; exact: boolean }> {
      const found = new Set<ContactId>();
      let read = 0;
      const rows = events
        .find(
          { account_id: accountId, name: query.name, time: { $gte: query.from, $lt: query.until }, visitor: countedVisitor },
          { hint: 'name' },
        )
        .batchSize(batchSize);
      for await (const row of rows) {
        read += 1;
        if (read > maxCounted) return { contacts: found.size, exact: false };
        if (row.contact_id !== null && !found.has(row.contact_id) && isMeant(row, query)) found.add(row.contact_id);
      }
      return { contacts: found.size, exact: true };
    },
  };
}
