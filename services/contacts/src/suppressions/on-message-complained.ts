import { emailKey, suppressionHash } from '@mp/contracts/contact';
import { AddressRejected, MessageComplained } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Suppress } from './suppress.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

type Deps = { contacts: ContactsStore; suppressions: SuppressionsStore; suppress: Suppress };

/**
 * A complaint suppresses the address it came from; only by its hash if the contact has a new address by then. A complaint
 * without an address follows from the status of the contact, which is suppressed already.
 */
export const onMessageComplained = ({ contacts, suppressions, suppress }: Deps) =>
  on(MessageComplained, async (tx, { account_id, data: { contact_id, address_hash } }) => {
    if (address_hash === undefined) return;
    const email = (await contacts.findOne(account_id, contact_id, tx))?.email ?? null;
    if (email !== null && address_hash === suppressionHash(account_id, 'email', email))
      await suppress.add(tx, account_id, { kind: 'email', value: emailKey(email), reason: 'complaint', note: null });
    else await suppressions.addHash(tx, account_id, { hash: address_hash, reason: 'complaint' });
  });

/** An address that no contact has is suppressed by its hash. */
export const onAddressRejected = ({ suppressions }: Pick<Deps, 'suppressions'>) =>
  on(AddressRejected, async (tx, { account_id, data: { address_hash, reason } }) => {
    await suppressions.addHash(tx, account_id, { hash: address_hash, reason });
  });
