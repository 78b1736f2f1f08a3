import type { Contact } from '@mp/contracts/contact';
import type { ContactId } from '@mp/ids';
import { type ContactChange, type Identity, identities } from './contact-body.ts';
import { identityKey } from './matching.ts';
import type { Draft } from './save-contacts.ts';

/**
 * The contacts of a chunk by each of their identifiers, before and while its rows are applied. `atMerge` has the consent of
 * merged contacts as it was after the newest merge.
 */
export function createKnown(existing: readonly Contact[], atMerge: ReadonlyMap<string, Contact['consent']>) {
  const byIdentity = new Map<string, Contact>();
  const drafts = new Map<string, Draft>();
  /** Identifiers that were given up, with the contact that had them; and the contacts that lost one to another contact. */
  const givenUp = new Map<string, string>();
  const takenFrom = new Set<string>();
  const keysOf = (contact: Contact) => identities.flatMap((name) => (contact[name] === null ? [] : [identityKey(name, contact[name])]));
  for (const contact of existing) for (const key of keysOf(contact)) byIdentity.set(key, contact);

  return {
    atMerge: (contact: Contact) => atMerge.get(contact.id),
    /** The contact that has the row's value for this identifier. */
    find: (row: ContactChange, name: Identity) => (row[name] == null ? undefined : byIdentity.get(identityKey(name, row[name]))),
    /** An identifier of this contact that another contact has, with the id of that contact. */
    taken(contact: Contact): { name: Identity; by: ContactId } | undefined {
      for (const name of identities) {
        const holder = contact[name] === null ? undefined : byIdentity.get(identityKey(name, contact[name]));
        if (holder && holder.id !== contact.id) return { name, by: holder.id };
      }
      return undefined;
    },
    put(before: Contact | undefined, draft: Draft) {
      for (const key of before ? keysOf(before) : []) byIdentity.delete(key);
      for (const key of keysOf(draft.contact)) {
        byIdentity.set(key, draft.contact);
        const giver = givenUp.get(key);
        if (giver !== undefined) takenFrom.add(giver);
      }
      for (const name of identities)
        if (before?.[name] != null && draft.changed.includes(name)) givenUp.set(identityKey(name, before[name]), before.id);
      const earlier = drafts.get(draft.contact.id);
      drafts.set(draft.contact.id, {
        contact: draft.contact,
        isNew: earlier?.isNew ?? draft.isNew,
        changed: [...new Set([...(earlier?.changed ?? []), ...draft.changed])],
        consents: [...(earlier?.consents ?? []), ...draft.consents],
        ...(draft.isLogOnly && (!earlier || earlier.isLogOnly) && { isLogOnly: true }),
      });
    },
    drafts: () => {
      const all = [...drafts.values()];
      return takenFrom.size === 0 ? all : all.map((draft) => ({ ...draft, releasesIdentifier: takenFrom.has(draft.contact.id) }));
    },
  };
}
