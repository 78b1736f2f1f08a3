import type { Contact } from '@mp/contracts/contact';
import { VisitorIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { contactClaim } from './identity-rows.ts';

export type Stores = { identities: IdentitiesStore; visitors: VisitorsStore; outbox: Pick<Outbox, 'addMany'> };

/** Stores the identifiers of a contact, and identifies visitors whose earlier events claimed one that is new. */
export async function learnContact(tx: Transaction, stores: Stores, accountId: AccountId, contact: Contact) {
  const claims = await stores.identities.learn(tx, accountId, contact);
  if (claims.length > 0) await identify(tx, stores, accountId, { claims, contactId: contact.id });
}

/** Stores that a contact was merged into another, and identifies visitors whose earlier events named it. */
export async function learnMerged(
  tx: Transaction,
  stores: Stores,
  accountId: AccountId,
  { contactId, into }: { contactId: ContactId; into: ContactId },
) {
  const isNew = await stores.identities.learnMerged(tx, accountId, contactId, into);
  if (isNew) await identify(tx, stores, accountId, { claims: [contactClaim(contactId)], contactId, survivor: into });
}

/** Visitors of a merged contact are stored with it and published as those of the survivor. */
async function identify(
  tx: Transaction,
  { visitors, outbox }: Stores,
  accountId: AccountId,
  { claims, contactId, survivor = contactId }: { claims: readonly string[]; contactId: ContactId; survivor?: ContactId },
) {
  const ids = await visitors.identify(tx, accountId, claims, contactId);
  const at = new Date().toISOString();
  await outbox.addMany(
    tx,
    VisitorIdentified,
    accountId,
    ids.map((visitor_id) => ({ visitor_id, contact_id: survivor, at })),
  );
}
