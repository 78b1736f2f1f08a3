import type { Contact } from '@mp/contracts/contact';
import { ContactDeleted } from '@mp/contracts/events/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { RemoveContact } from '../contacts/save-contacts.ts';
import type { LeftoversStore } from '../erasures/leftovers-store.ts';
import type { DeletedContactsStore } from './deleted-contacts-store.ts';
import { restorableMs } from './restore-period.ts';

type Deps = {
  contacts: ContactsStore;
  deleted: DeletedContactsStore;
  leftovers: LeftoversStore;
  removeContact: RemoveContact;
  outbox: Outbox;
};

export type Deletions = ReturnType<typeof createDeletions>;

/** A deletion takes effect immediately, keeps what a restore needs, and is final after 30 days. */
export function createDeletions({ contacts, deleted, leftovers, removeContact, outbox }: Deps) {
  return {
    async remove(tx: Transaction, accountId: AccountId, contact: Contact, now = new Date()) {
      const [, ...mergedIds] = await contacts.idsOf(accountId, contact.id, tx);
      const restorableUntil = new Date(now.getTime() + restorableMs);
      await deleted.add(tx, accountId, { contact, mergedIds, restorableUntil });
      await removeContact(tx, accountId, contact, { mergedIds, restorableUntil });
    },

    /** Makes the deletion final: the contact cannot be restored, and what it left behind is removed. */
    async finish(tx: Transaction, accountId: AccountId, id: ContactId) {
      const over = await deleted.take(tx, accountId, id);
      if (!over) return;
      const { contact, mergedIds } = over;
      await leftovers.add(tx, accountId, [contact.id, ...mergedIds]);
      // One above the deletion, so that consumers apply it.
      await outbox.add(tx, ContactDeleted, accountId, {
        contact_id: contact.id,
        revision: revisionAfterDeletion(contact) + 1,
        ...(mergedIds.length > 0 && { merged_ids: mergedIds }),
      });
    },
  };
}

/** The revision with which the deletion of this contact was published. */
export const revisionAfterDeletion = ({ revision }: Pick<Contact, 'revision'>) => revision + 1;
