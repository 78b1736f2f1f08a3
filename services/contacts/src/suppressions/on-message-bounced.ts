import { emailKey, suppressionHash } from '@mp/contracts/contact';
import { MessageBounced } from '@mp/contracts/events/campaigns';
import { on } from '@mp/service-kit/consume';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { Suppress } from './suppress.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

type Deps = { contacts: ContactsStore; deleted: DeletedContactsStore; suppressions: SuppressionsStore; suppress: Suppress };

/**
 * A hard bounce suppresses the address. If the contact has a new address by then, only the hash of the old one is suppressed,
 * because the new one has not bounced. The address of a deleted contact is also suppressed, because the contact may be restored.
 */
export const onMessageBounced = ({ contacts, deleted, suppressions, suppress }: Deps) =>
  on(MessageBounced, async (tx, { account_id, data }) => {
    if (!data.hard) return;
    const contact =
      (await contacts.findOne(account_id, data.contact_id, tx)) ?? (await deleted.find(account_id, data.contact_id, tx))?.contact;
    if (!contact) return;
    const { email } = contact;
    const bounced = data.address_hash;
    if (email !== null && (bounced === undefined || bounced === suppressionHash(account_id, 'email', email))) {
      const note = data.reason.slice(0, 500);
      await suppress.add(tx, account_id, { kind: 'email', value: emailKey(email), reason: 'hard_bounce', note });
    } else if (bounced !== undefined) await suppressions.addHash(tx, account_id, { hash: bounced, reason: 'hard_bounce' });
  });
