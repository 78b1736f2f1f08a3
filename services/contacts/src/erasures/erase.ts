import { type Contact, emailKey, externalIdHash, suppressionHash } from '@mp/contracts/contact';
import { ContactErased } from '@mp/contracts/events/contacts';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { RemoveContact } from '../contacts/save-contacts.ts';
import type { Deletions } from '../deletions/delete.ts';
import { revisionAfterDeletion } from '../deletions/delete.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { StatusRefreshesStore } from '../suppressions/status-refreshes-store.ts';
import type { SuppressionsStore } from '../suppressions/suppressions-store.ts';
import type { Erasure } from './erasure.ts';
import type { ErasuresStore } from './erasures-store.ts';
import type { LeftoversStore } from './leftovers-store.ts';

type Deps = {
  contacts: ContactsStore;
  merges: MergesStore;
  suppressions: SuppressionsStore;
  refreshes: StatusRefreshesStore;
  erasures: ErasuresStore;
  leftovers: LeftoversStore;
  deleted: DeletedContactsStore;
  deletions: Deletions;
  removeContact: RemoveContact;
  outbox: Outbox;
  wake: () => void;
};

export type Erase = ReturnType<typeof createErase>;

/**
 * Starts an erasure: the contact is deleted in the transaction, and its data everywhere else is removed afterwards. A contact that
 * is deleted already can no longer be restored, nor can deleted contacts with the same address.
 */
export function createErase(deps: Deps) {
  const { contacts, merges, suppressions, refreshes, erasures, leftovers, deleted, deletions, removeContact, outbox, wake } = deps;
  return async (
    tx: Transaction,
    accountId: AccountId,
    named: Contact,
    { suppress = false, id }: { suppress?: boolean; id?: string } = {},
  ): Promise<Erasure> => {
    const gone = await deleted.take(tx, accountId, named.id);
    const contact = gone ? { ...named, revision: revisionAfterDeletion(named) } : named;
    const ids = gone ? [named.id, ...gone.mergedIds] : await contacts.idsOf(accountId, named.id, tx);
    const absorbed = await merges.absorbed(accountId, ids, tx);
    const addressed = [contact, ...absorbed].flatMap(({ email, ...rest }) => (email === null ? [] : { email, ...rest }));
    const holders = await contacts.findByIdentities(
      tx,
      accountId,
      addressed.map(({ email }) => ({ email })),
    );
    const others = new Set(holders.flatMap(({ id, email }) => (id === contact.id || email === null ? [] : emailKey(email))));
    // An address that another contact now has belongs to that contact.
    const own = addressed.filter(({ email }) => !others.has(emailKey(email)));
    for (const { email, status, consent } of own) {
      await suppressions.forgetValue(tx, accountId, email);
      await refreshes.forget(tx, accountId, emailKey(email));
      // An unsubscription of the surviving contact covers the addresses of the contacts merged into it.
      const isUnwanted = status !== 'active' || [contact, { consent }].some((one) => one.consent.email?.status === 'unsubscribed');
      if (!suppress && !isUnwanted) continue;
      await suppressions.add(tx, accountId, { kind: 'email', value: emailKey(email), reason: 'manual', note: null, hashOnly: true });
    }
    for (const id of await deleted.withEmails(
      tx,
      accountId,
      own.map(({ email }) => email),
    ))
      await deletions.finish(tx, accountId, id);
    const externalIds = [contact, ...absorbed].flatMap(({ external_id }) => external_id ?? []);
    const users = await contacts.findByIdentities(
      tx,
      accountId,
      externalIds.map((external_id) => ({ external_id })),
    );
    const othersIds = new Set(users.flatMap(({ id, external_id }) => (id === contact.id ? [] : external_id)));
    const hashes = [
      ...own.map(({ email }) => suppressionHash(accountId, 'email', email)),
      ...externalIds.filter((id) => !othersIds.has(id)).map((id) => externalIdHash(accountId, id)),
    ];
    const erasure = await erasures.add(tx, accountId, { contact, contactIds: ids, hashes, id });
    await leftovers.add(tx, accountId, ids);
    await removeContact(tx, accountId, contact, { mergedIds: ids.slice(1), erased: true });
    await outbox.add(tx, ContactErased, accountId, {
      erasure_id: erasure.id,
      contact_id: contact.id,
      merged_ids: ids.slice(1),
      revision: contact.revision + 1,
    });
    tx.afterCommit(wake);
    return erasure;
  };
}
