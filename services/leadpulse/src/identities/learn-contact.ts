import { VisitorIdentified } from '@mp/contracts/events/leadpulse';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { AccountContact, Claimant, IdentitiesStore } from './identities-store.ts';
import { contactClaim } from './identity-rows.ts';

export type Stores = { identities: IdentitiesStore; visitors: VisitorsStore; outbox: Pick<Outbox, 'eventsOf' | 'insert'> };

/** Stores the identifiers of contacts, and identifies visitors whose earlier events claimed one that is new. */
export async function learnContacts(tx: Transaction, stores: Stores, contacts: readonly AccountContact[]) {
  await identify(tx, stores, await stores.identities.learn(tx, contacts));
}

/** Stores that a contact was merged into another, and identifies visitors whose earlier events named it. */
export async function learnMerged(
  tx: Transaction,
  stores: Stores,
  accountId: AccountId,
  { contactId, into }: { contactId: ContactId; into: ContactId },
) {
  const isNew = await stores.identities.learnMerged(tx, accountId, contactId, into);
  if (isNew) await identify(tx, stores, [{ accountId, contactId, claims: [contactClaim(contactId)] }], into);
}

/** Visitors of a merged contact are stored with it and published as those of the survivor. */
async function identify(tx: Transaction, { visitors, outbox }: Stores, claimants: readonly Claimant[], survivor?: ContactId) {
  const identified = await visitors.identify(tx, claimants);
  const at = new Date().toISOString();
  await outbox.insert(
    tx,
    [...Map.groupBy(identified, ({ accountId }) => accountId)].flatMap(([accountId, own]) =>
      outbox.eventsOf(
        tx,
        VisitorIdentified,
        accountId,
        own.map(({ visitorId, contactId }) => ({ visitor_id: visitorId, contact_id: survivor ?? contactId, at })),
      ),
    ),
  );
}
