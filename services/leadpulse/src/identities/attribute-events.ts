import { EventAttributed, EventBackfilled } from '@mp/contracts/events/leadpulse';
import type { AccountId, VisitorId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { activityOf } from '../events/activity.ts';
import type { Event } from '../events/event.ts';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { asSurvivors } from './as-survivors.ts';
import { contactOfClaims } from './contact-of-claims.ts';
import type { IdentitiesStore } from './identities-store.ts';

type Deps = { mongo: Mongo; outbox: Outbox; events: EventsStore; visitors: VisitorsStore; identities: IdentitiesStore };

const chunk = 200;

/**
 * Attributes one chunk of a visitor's earlier events to the identified contact and publishes them, in one transaction: each
 * event is published as attributed once, and a crash leaves the rest for the next round. Returns true if there may be more.
 * The newest events come first, so that consumers update the contact's last activity once instead of once per event.
 */
export async function attributeEvents(
  { mongo, outbox, events, visitors, identities }: Deps,
  accountId: AccountId,
  visitorId: VisitorId,
): Promise<boolean> {
  return mongo.transaction({ correlationId: visitorId, causationId: null }, async (tx) => {
    const visitor = await visitors.find(accountId, visitorId, tx);
    if (!visitor) return false;
    const contacts = await identities.resolve(accountId, visitor.claims, tx);
    const contactOf = (event: Event) => (event.claims.length === 0 ? visitor.contact_id : contactOfClaims(event.claims, contacts));
    const earlier = await events.unattributed(tx, accountId, {
      visitor: visitorId,
      claims: [...contacts.keys()],
      anonymous: visitor.contact_id !== null,
      limit: chunk,
    });
    const byContact = Map.groupBy(earlier, contactOf);
    const survivors = await identities.survivors(
      accountId,
      [...byContact.keys()].filter((contactId) => contactId !== null),
      tx,
    );
    for (const [contactId, own] of byContact) {
      if (contactId === null) continue;
      await events.attribute(
        tx,
        accountId,
        own.map(({ id }) => id),
        contactId,
      );
      const published = own.map((event) => ({ ...event, contact_id: contactId }));
      for (const [event, isPast] of [
        [EventAttributed, false],
        [EventBackfilled, true],
      ] as const) {
        const these = published.filter(({ backfill }) => backfill === isPast);
        await outbox.addMany(tx, event, accountId, these.map(asSurvivors(survivors)).map(activityOf));
      }
    }
    if (earlier.length === chunk) return true;
    await visitors.finishAttributing(tx, accountId, visitorId);
    return false;
  });
}
