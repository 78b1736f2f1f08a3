import { isDeepStrictEqual } from 'node:util';
import { type Contact, emailKey, type SuppressionKind } from '@mp/contracts/contact';
import { ApiError, notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import { createBatchLoader } from '@mp/service-kit/batches';
import type { Cursors } from '@mp/service-kit/cursor';
import { insertAll } from '@mp/service-kit/insert-all';
import { findPage } from '@mp/service-kit/list';
import { isDuplicateKey, prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db, Filter, FindOptions } from 'mongodb';
import type { ContactChange } from './contact-body.ts';
import { type ContactDocument, contactOf, documentOf, emailKeys, optionalFields } from './contact-document.ts';
import { contactIndexes, contactsFilter, type ListContactsQuery } from './contact-filters.ts';
import { findByWords } from './find-by-words.ts';
import { findThatFit, pageThatFits } from './fit-replies.ts';

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

  /** By its id, or by the id of a contact that was merged into it. */
  async function findOne(accountId: AccountId, id: ContactId, tx?: Transaction): Promise<Contact | undefined> {
    const key = keyOf(accountId, id);
    const options = tx && { session: tx.session };
    const own = tx ? (await read([key], options)).get(key) : await readTogether(key);
    const document = own ?? (await readSurvivors([key], options)).get(key);
    return document && contactOf(document);
  }

  /** Names the identifier that is taken, and the contact that has it if the caller may read contacts. */
  async function conflict(error: unknown, contact: Contact, accountId: AccountId, nameExisting: boolean): Promise<unknown> {
    if (!isDuplicateKey(error)) return error;
    for (const [name, where] of Object.entries(identityOf(contact))) {
      const existing = await contacts.findOne({ account_id: accountId, ...where }, { projection: { _id: 1 } });
      if (!existing || existing._id === contact.id) continue;
      return allTaken([{ name, by: existing._id }], nameExisting, error);
    }
    return transientError('the contact that had the identifier gave it up concurrently');
  }

  return {
    prepare: () =>
      prepareCollection(
        contacts,
        Object.entries(contactIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      ),

    findOne,

    /** When each of these contacts, of any accounts, was last seen. Finds them as `findOne` does; those that do not exist have no row. */
    async lastSeen(tx: Transaction, named: readonly NamedContact[]): Promise<(named: NamedContact) => LastSeen | undefined> {
      if (named.length === 0) return () => undefined;
      const options = { session: tx.session, projection: { account_id: 1, merged_ids: 1, last_seen_at: 1 } };
      const keys = [...new Set(named.map(({ accountId, contactId }) => keyOf(accountId, contactId)))];
      const own = await read(keys, options);
      const survivors = await readSurvivors(
        keys.filter((key) => !own.has(key)),
        options,
      );
      return ({ accountId, contactId }) => {
        const key = keyOf(accountId, contactId);
        const document = own.get(key) ?? survivors.get(key);
        return document && { contactId: document._id, lastSeenAt: document.last_seen_at ?? null };
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

    /** Looks at the next `limit` contacts in id order. `last` is the last of them, or null if there are none after them. */
    async matchingIds(accountId: AccountId, where: Filter<ContactDocument>, after: ContactId | null, limit: number) {
      const next = { account_id: accountId, ...(after !== null && { _id: { $gt: after } }) };
      const seen = await contacts
        .find(next, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('id')
        .toArray();
      const last = seen.at(-1)?._id;
      if (last === undefined) return { ids: [], last: null };
      const range = { account_id: accountId, _id: { ...(after !== null && { $gt: after }), $lte: last } };
      const rows = await contacts
        .find({ $and: [range, where] }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .hint('id')
        .toArray();
      return { ids: rows.map(({ _id }) => _id), last: seen.length === limit ? last : null };
    },

    /** The contact's own id first, then those of the contacts that were merged into it. */
    async idsOf(accountId: AccountId, contactId: ContactId, tx?: Transaction): Promise<ContactId[]> {
      const document = await contacts.findOne(
        { _id: contactId, account_id: accountId },
        { projection: { merged_ids: 1 }, ...(tx && { session: tx.session }) },
      );
      return [contactId, ...(document?.merged_ids ?? [])];
    },

    async setMergedIds(tx: Transaction, accountId: AccountId, contactId: ContactId, ids: readonly ContactId[]) {
      await contacts.updateOne(
        { _id: contactId, account_id: accountId },
        ids.length > 0 ? { $set: { merged_ids: [...ids] } } : { $unset: { merged_ids: '' } },
        { session: tx.session },
      );
    },

    /**
     * Writes new contacts and new revisions. Throws the duplicate key error if another contact has one of their identifiers,
     * or CONFLICT if there is a single contact and `onConflict` is given.
     */
    async write(tx: Transaction, accountId: AccountId, written: readonly Written[], onConflict: false | { nameExisting: boolean }) {
      const [created, changed] = [written.filter(({ isNew }) => isNew), written.filter(({ isNew }) => !isNew)];
      // Contacts may swap identifiers, and then no order of replacements avoids a duplicate.
      const releases = changed.filter(({ releasesIdentifier }) => releasesIdentifier).map((one) => releaseOf(accountId, one));
      const replacements = [...releases, ...changed.map((one) => replacementOf(accountId, one))];
      const documents = created.map(({ contact }) => documentOf(accountId, contact));
      try {
        // Replacements come first, because a new contact may take an identifier that another one gives up.
        if (replacements.length > 0) await contacts.bulkWrite(replacements, { session: tx.session });
        await insertAll(db, contacts, documents, tx);
      } catch (error) {
        throw onConflict && written.length === 1 && written[0]
          ? await conflict(error, written[0].contact, accountId, onConflict.nameExisting)
          : error;
      }
    },

    async remove(tx: Transaction, accountId: AccountId, contactId: ContactId) {
      await contacts.deleteOne({ _id: contactId, account_id: accountId }, { session: tx.session });
    },

    /** The identifiers that other contacts have: for cases where a conflict must not abort the transaction. */
    async allTakenFrom(accountId: AccountId, contact: Contact, tx: Transaction): Promise<Taken[]> {
      const found: Taken[] = [];
      for (const [name, where] of Object.entries(identityOf(contact))) {
        const other = await contacts.findOne(
          { account_id: accountId, ...where, _id: { $ne: contact.id } },
          { session: tx.session, projection: { _id: 1 } },
        );
        if (other) found.push({ name, by: other._id });
      }
      return found;
    },

    /** All contacts that share an identifier with any of these. */
    async findByIdentities(tx: Transaction, accountId: AccountId, wanted: readonly ContactChange[]): Promise<Contact[]> {
      const values = (name: 'email' | 'external_id' | 'phone') => wanted.flatMap((change) => change[name] ?? []);
      // Each branch names the account, so that each has its index.
      const anyOf: Filter<ContactDocument>[] = [
        { account_id: accountId, email_key: { $in: emailKeys(values('email')) } },
        { account_id: accountId, external_id: { $in: values('external_id') } },
        { account_id: accountId, phone: { $in: values('phone') } },
      ];
      const found = await contacts.find({ $or: anyOf }, { session: tx.session }).toArray();
      return found.map(contactOf);
    },

    async list(accountId: AccountId, query: ListContactsQuery) {
      const { limit, cursor, include, ...asked } = query;
      const boundTo = ['contacts', accountId, asked];
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

    /** Every normalised address of the account: for commands, not for requests. */
    addresses: (accountId: AccountId): AsyncIterable<{ _id: ContactId; email_key?: string }> =>
      contacts.find({ account_id: accountId, email_key: { $gt: '' } }, { projection: { email_key: 1 } }),

    /** Contacts in id order, for projections of other services: as many as fit into one reply. */
    pageById: (accountId: AccountId, after: ContactId | null, limit: number) => pageThatFits(contacts, accountId, after, limit),

    /** The contacts with this address, or with any address of this domain, or all suppressed ones, in id order. */
    async pageByAddress(
      tx: Transaction,
      accountId: AccountId,
      { kind, value, after, limit }: { kind: AddressedBy; value: string; after: ContactId | null; limit: number },
    ) {
      const rows = await contacts
        .find(
          {
            account_id: accountId,
            ...addressedBy(kind, value),
            ...(after !== null && { _id: { $gt: after } }),
          },
          { session: tx.session },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map(contactOf);
    },

    /** The named contacts that exist, and the ids that refer to another contact since a merge; `left_off` names what did not fit. */
    find: (accountId: AccountId, named: Parameters<typeof findThatFit>[2]) => findThatFit(contacts, accountId, named),

    /** How many contacts have a value for this attribute, counted from the index only. */
    countWithAttribute: (accountId: AccountId, key: string, maxTimeMS: number) =>
      contacts.countDocuments({ account_id: accountId, attribute_pairs: key }, { hint: 'attributes', maxTimeMS }),

    /** The next 1,000 accounts that have contacts, by a loose index scan. */
    async accounts(after: AccountId | null) {
      const accountIds: AccountId[] = [];
      for (let last = after; accountIds.length < 1_000; ) {
        const next = await contacts.findOne(last ? { account_id: { $gt: last } } : {}, {
          sort: { account_id: 1 },
          projection: { account_id: 1 },
        });
        if (!next) return { account_ids: accountIds, next: null };
        last = next.account_id;
        accountIds.push(last);
      }
      return { account_ids: accountIds, next: accountIds.at(-1) ?? null };
    },

    /** Newest first, using one index: for searches that read more contacts than they return. */
    async scan(accountId: AccountId, { where, index, after, limit }: Scan): Promise<Contact[]> {
      const { created_at: at, id } = after ?? {};
      const beyond = at === undefined ? [{}] : [{ created_at: at, _id: { $lt: id } }, { created_at: { $lt: at } }];
      const parts = beyond.map((part) => ({ $and: [{ account_id: accountId, ...where }, part] }) as Filter<ContactDocument>);
      const rows = await contacts.find({ $or: parts }).sort({ created_at: -1, _id: -1 }).limit(limit).hint(index).toArray();
      return rows.map(contactOf);
    },
  };
}

/** A contact as an event names it. */
type NamedContact = { accountId: AccountId; contactId: ContactId };

/** `contactId` is the survivor of a contact that was merged. */
export type LastSeen = { contactId: ContactId; lastSeenAt: Date | null };

/** A contact to be written; `releasesIdentifier` if another one in the same write takes one of its identifiers. */
type Written = { contact: Contact; isNew: boolean; releasesIdentifier?: boolean };

export type Scan = {
  where: Filter<ContactDocument>;
  index: keyof typeof contactIndexes;
  after: { created_at: Date; id: ContactId } | undefined;
  limit: number;
};

export type AddressedBy = SuppressionKind | 'suppressed';

function addressedBy(kind: AddressedBy, value: string): Filter<ContactDocument> {
  switch (kind) {
    case 'email':
      return { email_key: value };
    case 'domain':
      return { email_domain: value };
    case 'suppressed':
      return { status: { $in: ['bounced', 'complained', 'suppressed'] } };
  }
}

/** An identifier that another contact has. */
export type Taken = { name: string; by: ContactId };

/** CONFLICT for identifiers that other contacts have. Names these contacts if `nameExisting`. */
export const allTaken = (taken: readonly Taken[], nameExisting: boolean, cause?: unknown) => {
  const named = taken.map(({ name, by }) => `this ${name}${nameExisting ? `: ${by}` : ''}`);
  return new ApiError('CONFLICT', `Another contact already has ${named.join(', and ')}.`, {
    details: taken.map(({ name, by }) => ({
      path: `/${name}`,
      code: 'duplicate',
      message: `${name} is unique in the account.`,
      ...(nameExisting && { existing_id: by }),
    })),
    cause,
  });
};

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

/** One filter per identifier, each of which matches at most one contact of the account. */
function identityOf({ email, external_id, phone }: Contact) {
  return {
    ...(email && { email: { email_key: emailKey(email) } }),
    ...(external_id && { external_id: { external_id } }),
    ...(phone && { phone: { phone } }),
  };
}

/** Removes all identifiers of the contact until its own replacement follows. */
const releaseOf = (accountId: AccountId, { contact: { id } }: Written): AnyBulkWriteOperation<ContactDocument> => ({
  updateOne: {
    filter: { _id: id, account_id: accountId },
    update: { $set: { external_id: null, phone: null }, $unset: { email_key: '' } },
  },
});

function replacementOf(accountId: AccountId, { contact }: Written): AnyBulkWriteOperation<ContactDocument> {
  const document = documentOf(accountId, contact);
  const { _id, ...members } = document;
  const absent = optionalFields.filter((name) => !(name in document));
  const $unset = Object.fromEntries(absent.map((name) => [name, '' as const]));
  return { updateOne: { filter: { _id, account_id: accountId }, update: { $set: members, ...(absent.length > 0 && { $unset }) } } };
}
