import type { AccountId, ContactId } from '@mp/ids';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import type { FormContact, FormContactsStore } from './form-contacts-store.ts';

type Deps = { identities: Pick<IdentitiesStore, 'survivors' | 'mergedInto'>; formContacts: Pick<FormContactsStore, 'of'> };

/** A contact with all that were merged into it, and the first form that created one of them. */
export type Arrival = { contactIds: ContactId[]; first: FormContact };

export type FindFirstForms = ReturnType<typeof createFindFirstForms>;

const isEarlier = (one: FormContact, other: FormContact) =>
  one.at.getTime() === other.at.getTime() ? one.contact_id < other.contact_id : one.at < other.at;

/**
 * Finds the contacts as they are merged now, with the first form that created one of the contacts merged into each. Those that no form
 * created are left out. A merged contact counts for one form only, so that no order counts twice, whatever is merged.
 */
export const createFindFirstForms =
  ({ identities, formContacts }: Deps) =>
  async (accountId: AccountId, contactIds: readonly ContactId[]): Promise<Arrival[]> => {
    const survivors = await identities.survivors(accountId, contactIds);
    const persons = await identities.mergedInto(accountId, [...new Set(contactIds.map((id) => survivors.get(id) ?? id))]);
    const rows = await formContacts.of(accountId, [...persons.values()].flat());
    const rowOf = new Map(rows.map((row) => [row.contact_id, row]));
    return [...persons.values()].flatMap((ids) => {
      const [first] = ids.flatMap((id) => rowOf.get(id) ?? []).sort((a, b) => (isEarlier(a, b) ? -1 : 1));
      return first ? [{ contactIds: ids, first }] : [];
    });
  };
