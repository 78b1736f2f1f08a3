import type { Contact } from '@mp/contracts/contact';
import type { Transaction } from '@mp/service-kit/mongo';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { contactClaim, type IdentitiesStore } from './identities-store.ts';

type Stores = { identities: IdentitiesStore; visitors: VisitorsStore };

/** Stores the identifiers of a contact, and identifies visitors whose earlier events claimed one of them. */
export async function learnContact(tx: Transaction, { identities, visitors }: Stores, accountId: string, contact: Contact) {
  const learned = await identities.learn(tx, accountId, contact);
  if (!learned) return;
  if (learned.mergedInto !== undefined) await visitors.giveBack(tx, accountId, contact.id, learned.mergedInto);
  await visitors.identify(tx, accountId, learned.claims, contact.id);
}

/** Stores that a contact was merged into another; visitors that named it are identified as the survivor. */
export async function learnMerged(tx: Transaction, { identities, visitors }: Stores, accountId: string, contactId: string, into: string) {
  const isNew = await identities.learnMerged(tx, accountId, contactId, into);
  if (isNew) await visitors.identify(tx, accountId, [contactClaim(contactId)], into);
}
