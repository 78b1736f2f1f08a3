import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { contactsWhere, ListContactsQuery } from '../contacts/contact-filters.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { contactAlone } from '../contacts/rule-query.ts';
import type { ReadMembers } from '../segments/segment-members.ts';

/** What selects contacts: one of these. */
export type Selected = {
  filter?: Record<string, string> | undefined;
  rule?: Rule | undefined;
  ids?: readonly ContactId[] | undefined;
  segment_id?: SegmentId | undefined;
};

/** The ids of selected contacts in id order. Everything up to `last` has been looked at; null: there is nothing after it. */
export type SelectedPage = { ids: ContactId[]; last: ContactId | null };

type Selection = { accountId: AccountId; select: Selected; asOf: Date; after: ContactId | null };

/** The maximum number of contacts read for one page, so that a page is short work even if nothing matches. */
const maxLookedAt = 1_000;
const rulePage = 500;

export type SelectContacts = ReturnType<typeof createSelectContacts>;

/**
 * Reads the selected contacts page by page in id order, without those created after `asOf`. A contact is selected if it matches when
 * its page is read; the members of a segment are those as of `asOf`. Throws what reading the members throws.
 */
export function createSelectContacts({ contacts, readMembers }: { contacts: ContactsStore; readMembers: ReadMembers }) {
  return async ({ accountId, select, asOf, after }: Selection): Promise<SelectedPage> => {
    if (select.ids) {
      const rest = [...new Set(select.ids)].sort().filter((id) => after === null || id > after);
      const ids = rest.slice(0, maxLookedAt);
      return { ids, last: rest.length > ids.length ? (ids.at(-1) ?? null) : null };
    }
    if (select.segment_id !== undefined) {
      const { ids, next } = await readMembers({ accountId, segmentId: select.segment_id, asOf, after, limit: maxLookedAt });
      return { ids, last: next };
    }
    if (select.rule) {
      const { matches } = compileRule(select.rule);
      const page = await contacts.pageById(accountId, after, rulePage);
      const matching = page.contacts.filter(
        (contact) => new Date(contact.created_at) <= asOf && matches({ contact, ...contactAlone }, asOf).matches,
      );
      return { ids: matching.map(({ id }) => id), last: page.next };
    }
    const where = contactsWhere(ListContactsQuery.parse(select.filter ?? {}));
    return contacts.matchingIds(accountId, { $and: [where, { created_at: { $lte: asOf } }] }, after, maxLookedAt);
  };
}
