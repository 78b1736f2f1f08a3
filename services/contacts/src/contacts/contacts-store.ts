import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '@mp/contracts/contact';
import { ApiError, notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import { createBatchLoader } from '@mp/service-kit/batches';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter, FindOptions } from 'mongodb';
import type { ContactChange } from './contact-body.ts';
import { createContactConflicts } from './contact-conflicts.ts';
import { type ContactDocument, contactOf, documentOf, emailKeys } from './contact-document.ts';
import { contactIndexes, contactsFilter, type ListContactsQuery } from './contact-filters.ts';
import { createContactPages } from './contact-pages.ts';
import { findByWords } from './find-by-words.ts';
import { findThatFit, pageThatFits } from './fit-replies.ts';
import { createWriteContacts } from './write-contacts.ts';

export type ContactsStore = ReturnType<typeof createContactsStore>;

/** Owns the `contacts` collection. Every query names the account. */
export function createContactsStore(db: Db, cursors: Cursors) {
  const contacts = db.collection<ContactDocument>('contacts');

  /** By `keyOf`. */
  async function read(keys: readonly string[], options?: FindOptions): Promise<Map<string, ContactDocument>> {
    const found = await contacts
      .find(
        anyOf(keys, (ids) => ({ _id: { $in: ids } })),
        options,
      )
      .toArray();
    return new Map(found.map((document) => [keyOf(document.account_id, document._id), document]));
  }

  const readTogether = createBatchLoader((keys) => read(keys));

  /** By `keyOf` of the contacts that were merged into them. */
  async function readSurvivors(keys: readonly string[], options?: FindOptions): Promise<Map<string, ContactDocument>> {
    if (keys.length === 0) return new Map();
    const found = await contacts
      .find(
        anyOf(keys, (ids) => ({ merged_ids: { $in: ids } })),
        options,
      )
      .toArray();
    return new Map(found.flatMap((document) => (document.merged_ids ?? []).map((id) => [keyOf(document.account_id, id), document])));
  }

  /** Contacts of any accounts by their ids, or by the ids of contacts that were merged into them. */
  async function readNamed(named: readonly NamedContact[], options: FindOptions) {
    if (named.length === 0) return () => undefined;
    const keys = [...new Set(named.map(({ accountId, contactId }) => keyOf(accountId, contactId)))];
    const own = await read(keys, options);
    const survivors = await readSurvivors(
      keys.filter((key) => !own.has(key)),
      options,
    );
    return ({ accountId, contactId }: NamedContact) => {
      const key = keyOf(accountId, contactId);
      return own.get(key) ?? survivors.get(key);
    };
  }

  /** By its id, or by the id of a contact that was merged into it. */
  async function findOne(accountId: AccountId, id: ContactId, tx?: Transaction): Promise<Contact | undefined> {
    const key = keyOf(accountId, id);
    const options = tx && { session: tx.session };
    const own = tx ? (await read([key], options)).get(key) : await readTogether(key);
    const document = own ?? (await readSurvivors([key], options)).get(key);
    return document && contactOf(document);
  }

  const conflicts = createContactConflicts(contacts);

  return {
    ...createContactPages(contacts),
    allTakenFrom: conflicts.allTakenFrom,
    write: createWriteContacts({ db, contacts, conflict: conflicts.conflict }),

    prepare: () =>
      prepareCollection(
        contacts,
        Object.entries(contactIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      ),

    findOne,

    /** When each of these contacts, of any accounts, was last seen. Finds them as `findOne` does; those that do not exist have no row. */
    async lastSeen(tx: Transaction, named: readonly NamedContact[]): Promise<(named: NamedContact) => LastSeen | undefined> {
      const found = await readNamed(named, {
        session: tx.session,
        projection: { account_id: 1, merged_ids: 1, last_seen_at: 1 },
      });
      return (one) => {
        const document = found(one);
        return document && { contactId: document._id, lastSeenAt: document.last_seen_at ?? null };
      };
    },

    /** These contacts, of any accounts, each found as `findOne` does. */
    async findNamed(tx: Transaction, named: readonly NamedContact[]): Promise<(named: NamedContact) => Contact | undefined> {
      const found = await readNamed(named, { session: tx.session });
      return (one) => {
        const document = found(one);
        return document && contactOf(document);
      };
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: ContactId, tx?: Transaction): Promise<Contact> {
      const contact = await findOne(accountId, id, tx);
      if (!contact) throw notFound();
      return contact;
    },

    /** The contact itself. Throws NOT_FOUND, or INVALID_STATE when it was merged into another. */
    async getUnmerged(accountId: AccountId, id: ContactId, tx: Transaction): Promise<Contact> {
      const contact = await findOne(accountId, id, tx);
      if (!contact) throw notFound();
      if (contact.id !== id)
        throw new ApiError('INVALID_STATE', `${id} was merged into ${contact.id}; use ${contact.id}, or undo the merge first.`);
      return contact;
    },

    /**
     * Derives the indexed text of contacts again, in id order over all accounts. Returns the last id; null at the end.
     * Contacts written in the meantime are already up to date.
     */
    async indexTextAgain(after: ContactId | null, limit: number): Promise<ContactId | null> {
      const rows = await contacts
        .find(after === null ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      const changes = rows.flatMap((row) => {
        const indexed = indexedText(documentOf(row.account_id, contactOf(row)));
        if (isDeepStrictEqual(indexed, indexedText(row))) return [];
        const { _id, account_id, revision } = row;
        return [{ updateOne: { filter: { _id, account_id, revision }, update: { $set: indexed, $unset: { name_key: '' as const } } } }];
      });
      if (changes.length > 0) await contacts.bulkWrite(changes, { ordered: false });
      return rows.length < limit ? null : (rows.at(-1)?._id ?? null);
    },

    /** The contacts with these IDs that exist, in any order. */
    async findMany(accountId: AccountId, ids: readonly ContactId[], tx?: Transaction): Promise<Contact[]> {
      const rows = await contacts.find({ account_id: accountId, _id: { $in: [...ids] } }, tx && { session: tx.session }).toArray();
      return rows.map(contactOf);
    },

    /** The contact's own id first, then those of the contacts that were merged into it. */
    async idsOf(accountId: AccountId, contactId: ContactId, tx?: Transaction): Promise<ContactId[]> {
      const document = await contacts.findOne(
        { _id: contactId, account_id: accountId },
        { projection: { merged_ids: 1 }, ...(tx && { session: tx.session }) },
      );
      return [contactId, ...(document?.merged_ids ?? [])];
    },

    /** Of these contacts, those that others were merged into, by the ID of the other. */
    async survivorsOf(accountId: AccountId, ids: readonly ContactId[]): Promise<Map<ContactId, ContactId>> {
      const where = { account_id: accountId, _id: { $in: [...ids] }, merged_ids: { $exists: true } };
      const rows = await contacts.find(where, { projection: { merged_ids: 1 } }).toArray();
      return new Map(rows.flatMap(({ _id, merged_ids = [] }) => merged_ids.map((merged) => [merged, _id] as const)));
    },

    async setMergedIds(tx: Transaction, accountId: AccountId, contactId: ContactId, ids: readonly ContactId[]) {
      await contacts.updateOne(
        { _id: contactId, account_id: accountId },
        ids.length > 0 ? { $set: { merged_ids: [...ids] } } : { $unset: { merged_ids: '' } },
        { session: tx.session },
      );
    },

    async remove(tx: Transaction, accountId: AccountId, contactId: ContactId) {
      await contacts.deleteOne({ _id: contactId, account_id: accountId }, { session: tx.session });
    },

    /** All contacts that share an identifier with any of these. */
    async findByIdentities(tx: Transaction, accountId: AccountId, wanted: readonly ContactChange[]): Promise<Contact[]> {
      const values = (name: 'email' | 'external_id' | 'phone') => wanted.flatMap((change) => change[name] ?? []);
      // Each branch names the account, so that each has its index.
      const sought = { email_key: emailKeys(values('email')), external_id: values('external_id'), phone: values('phone') };
      const anyOf = Object.entries(sought).flatMap(([name, keys]) =>
        keys.length > 0 ? [{ account_id: accountId, [name]: { $in: keys } }] : [],
      );
      if (anyOf.length === 0) return [];
      const found = await contacts.find({ $or: anyOf }, { session: tx.session }).toArray();
      return found.map(contactOf);
    },

    async list(accountId: AccountId, query: ListContactsQuery) {
      const { limit, cursor, include, ...filters } = query;
      const boundTo = ['contacts', accountId, filters];
      const filter = contactsFilter(query);
      if (filter.words) {
        const found = await findByWords(contacts, accountId, { ...filter, limit, cursor, cursors, boundTo });
        return { items: found.items.map(contactOf), pagination: found.pagination };
      }
      const { where, order, index } = filter;
      const { items, pagination } = await findPage({
        collection: contacts,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo,
        total: include === 'total_count',
        hint: index,
      });
      return { items: items.map(contactOf), pagination };
    },

    /** Contacts in id order, for projections of other services: as many as fit into one reply. */
    pageById: (accountId: AccountId, after: ContactId | null, limit: number) => pageThatFits(contacts, accountId, after, limit),

    /** The named contacts that exist, and the ids that refer to another contact since a merge; `left_off` names what did not fit. */
    find: (accountId: AccountId, named: Parameters<typeof findThatFit>[2]) => findThatFit(contacts, accountId, named),

    /** How many contacts have a value for this attribute, counted from the index only. */
    countWithAttribute: (accountId: AccountId, key: string, maxTimeMS: number) =>
      contacts.countDocuments({ account_id: accountId, attribute_pairs: key }, { hint: 'attributes', maxTimeMS }),
  };
}

/** A contact as an event names it. */
type NamedContact = { accountId: AccountId; contactId: ContactId };

/** `contactId` is the survivor of a contact that was merged. */
export type LastSeen = { contactId: ContactId; lastSeenAt: Date | null };

const indexedText = ({ search_words, tag_keys, attribute_pairs }: ContactDocument) => ({ search_words, tag_keys, attribute_pairs });

/** The key of a batched read: account and id. */
const keyOf = (accountId: AccountId, id: ContactId) => `${accountId} ${id}`;
const parted = (key: string) => ({
  accountId: trustedId<'account'>(key.slice(0, key.indexOf(' '))),
  id: trustedId<'contact'>(key.slice(key.indexOf(' ') + 1)),
});

/** A filter for contacts of several accounts. A single one needs no `$or`, of which MongoDB plans each branch. */
function anyOf(keys: readonly string[], filterOf: (ids: ContactId[]) => Filter<ContactDocument>): Filter<ContactDocument> {
  const wanted = [...Map.groupBy(keys.map(parted), ({ accountId }) => accountId)].map(([account_id, own]) => ({
    account_id,
    ...filterOf(own.map(({ id }) => id)),
  }));
  return wanted.length === 1 && wanted[0] ? wanted[0] : { $or: wanted };
}
