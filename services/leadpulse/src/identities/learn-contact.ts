import type { Contact } from '@mp/contracts/contact';
import { VisitorIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { EventsStore } from '../events/events-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { contactClaim, type IdentitiesStore } from './identities-store.ts';

export type Stores = {
  identities: IdentitiesStore;
  visitors: VisitorsStore;
  events: EventsStore;
  outbox: Pick<Outbox, 'addMany'>;
};

/** Stores the identifiers of a contact, and identifies visitors whose earlier events claimed one of them. */
export async function learnContact(tx: Transaction, stores: Stores, accountId: AccountId, contact: Contact) {
  const { identities, visitors, events } = stores;
  const learned = await identities.learn(tx, accountId, contact);
  if (!learned) return;
  if (learned.survivors.length > 0) {
    await visitors.giveBack(tx, accountId, contact.id, learned.survivors);
    await events.giveBack(tx, accountId, contact.id, learned.survivors);
  }
  await identify(tx, stores, accountId, { claims: learned.claims, contact_id: contact.id });
}

/** Stores that a contact was merged into another; visitors that named it are identified as the survivor. */
export async function learnMerged(
  tx: Transaction,
  stores: Stores,
  accountId: AccountId,
  { contactId, into }: { contactId: ContactId; into: ContactId },
) {
  const isNew = await stores.identities.learnMerged(tx, accountId, contactId, into);
  if (isNew) await identify(tx, stores, accountId, { claims: [contactClaim(contactId)], contact_id: into });
}

async function identify(
  tx: Transaction,
  { visitors, outbox }: Stores,
  accountId: AccountId,
  { claims, contact_id }: { claims: readonly string[]; contact_id: ContactId },
) {
  const ids = await visitors.identify(tx, accountId, claims, contact_id);
  const at = new Date().toISOString();
  await outbox.addMany(
    tx,
    VisitorIdentified,
    accountId,
    ids.map((visitor_id) => ({ visitor_id, contact_id, at })),
  );
}
