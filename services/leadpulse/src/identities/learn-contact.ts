import type { Contact } from '@mp/contracts/contact';
import type { Transaction } from '@mp/service-kit/mongo';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { IdentitiesStore } from './identities-store.ts';

type Stores = { identities: IdentitiesStore; visitors: VisitorsStore };

/** Keeps how a contact is named, and recognises the visitors who said so before the contact was known. */
export async function learnContact(tx: Transaction, { identities, visitors }: Stores, accountId: string, contact: Contact) {
  const claims = await identities.learn(tx, accountId, contact);
  if (claims) await visitors.identify(tx, accountId, claims, contact.id);
}
