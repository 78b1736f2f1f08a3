import { type Contact, emailKey } from '@mp/contracts/contact';
import { ApiError, notFound } from '@mp/contracts/errors';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db } from 'mongodb';
import type { ContactChange } from './contact-body.ts';
import { attributePair, contactIndexes, contactsFilter, type ListContactsQuery } from './contact-filters.ts';

type ContactDocument = Omit<Contact, 'id' | 'created_at' | 'updated_at' | 'last_seen_at'> & {
  _id: string;
  account_id: string;
  /** The e-mail as it is compared; absent without one. */
  email_key?: string;
  /** Every attribute as `key=value`, for the one index that serves all keys. */
  attribute_pairs: string[];
  created_at: Date;
  updated_at: Date;
  last_seen_at: Date | null;
};

import type { Identity, Written } from './upsert-contacts.ts';

export type ContactsStore = ReturnType<typeof createContactsStore>;

/** The only place that knows the `contacts` collection. Every query names the account. */
export function createContactsStore(db: Db, outbox: Outbox, cursors: Cursors) {
  const contacts = db.collection<ContactDocument>('contacts');

  async function findOne(accountId: string, id: string, tx?: Transaction): Promise<Contact | undefined> {
    const document = await contacts.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    return document ? contactOf(document) : undefined;
  }

  /** Says which value is taken, and by whom if the caller may know. */
  async function conflict(error: unknown, contact: Contact, accountId: string, nameExisting: boolean): Promise<unknown> {
    if (!isDuplicateKey(error)) return error;
    for (const [name, where] of Object.entries(identityOf(contact))) {
      const existing = await contacts.findOne({ account_id: accountId, ...where }, { projection: { _id: 1 } });
      if (!existing || existing._id === contact.id) continue;
      const named = nameExisting ? { existing_id: existing._id } : {};
      return new ApiError('CONFLICT', `Another contact already has this ${name}${nameExisting ? `: ${existing._id}` : ''}.`, {
        details: [{ path: `/${name}`, code: 'duplicate', message: `${name} is unique in the account.`, ...named }],
        cause: error,
      });
    }
    return error;
  }

  return {
    prepare: () =>
      prepareCollection(
        contacts,
        Object.entries(contactIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      ),

    /** Throws CONFLICT when the account already has a contact with this e-mail, phone or external id. */
    async insert(tx: Transaction, accountId: string, contact: Contact, nameExisting: boolean) {
      await contacts.insertOne(documentOf(accountId, contact), { session: tx.session }).catch(async (error: unknown) => {
        throw await conflict(error, contact, accountId, nameExisting);
      });
      await outbox.add(tx, ContactCreated, accountId, { contact });
    },

    findOne,

    /** Throws NOT_FOUND. */
    async get(accountId: string, id: string, tx?: Transaction): Promise<Contact> {
      const contact = await findOne(accountId, id, tx);
      if (!contact) throw notFound();
      return contact;
    },

    /** Whether another contact has one of its identities: asked where a conflict must not abort the transaction. */
    async isTaken(accountId: string, contact: Contact, tx: Transaction) {
      const taken = await contacts.findOne(
        { _id: { $ne: contact.id }, $or: Object.values(identityOf(contact)).map((where) => ({ account_id: accountId, ...where })) },
        { session: tx.session, projection: { _id: 1 } },
      );
      return taken !== null;
    },

    /** Throws CONFLICT as `insert` does. */
    async replace(tx: Transaction, accountId: string, contact: Contact, changed: string[], nameExisting: boolean) {
      await contacts
        .replaceOne({ _id: contact.id, account_id: accountId }, documentOf(accountId, contact), { session: tx.session })
        .catch(async (error: unknown) => {
          throw await conflict(error, contact, accountId, nameExisting);
        });
      await outbox.add(tx, ContactUpdated, accountId, { contact, changed });
    },

    async remove(tx: Transaction, accountId: string, contact: Contact) {
      await contacts.deleteOne({ _id: contact.id, account_id: accountId }, { session: tx.session });
      await outbox.add(tx, ContactDeleted, accountId, { contact_id: contact.id, revision: contact.revision + 1 });
    },

    /** All contacts that have any identity of any of these. */
    async findByIdentities(tx: Transaction, accountId: string, wanted: readonly ContactChange[]): Promise<Contact[]> {
      const values = (name: Identity) => wanted.flatMap((change) => change[name] ?? []);
      const anyOf = [
        { email_key: { $in: values('email').map(emailKey) } },
        { external_id: { $in: values('external_id') } },
        { phone: { $in: values('phone') } },
      ];
      // Each branch names the account, so that each has its index.
      const found = await contacts
        .find({ $or: anyOf.map((where) => ({ account_id: accountId, ...where })) }, { session: tx.session })
        .toArray();
      return found.map(contactOf);
    },

    /** Writes created and changed contacts and one event for each. */
    async writeMany(tx: Transaction, accountId: string, written: readonly Written[]) {
      const created = written.filter(({ created }) => created);
      const updated = written.filter(({ created }) => !created);
      const inserts = created.map(({ contact }) => ({ insertOne: { document: documentOf(accountId, contact) } }));
      const replaces = updated.map(({ contact }) => ({
        replaceOne: { filter: { _id: contact.id, account_id: accountId }, replacement: documentOf(accountId, contact) },
      }));
      // Replacements first: an identity that one contact gives up may be taken by another.
      if (written.length > 0) await contacts.bulkWrite([...replaces, ...inserts], { session: tx.session });
      await outbox.addMany(
        tx,
        ContactCreated,
        accountId,
        created.map(({ contact }) => ({ contact })),
      );
      await outbox.addMany(
        tx,
        ContactUpdated,
        accountId,
        updated.map(({ contact, changed }) => ({ contact, changed: [...changed] })),
      );
    },

    async list(accountId: string, query: ListContactsQuery) {
      const { limit, cursor, include, ...asked } = query;
      const { where, order } = contactsFilter(query);
      const { items, pagination } = await findPage({
        collection: contacts,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['contacts', accountId, asked],
        total: include === 'total_count',
      });
      return { items: items.map(contactOf), pagination };
    },

    /** Contacts by id order, for other services' projections. */
    async pageById(accountId: string, after: string | null, limit: number) {
      const rows = await contacts
        .find({ account_id: accountId, ...(after && { _id: { $gt: after } }) })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return { contacts: rows.map(contactOf), next: rows.length === limit ? (rows.at(-1)?._id ?? null) : null };
    },

    /** Those of the named contacts that exist. */
    async find(accountId: string, ids: readonly string[], emails: readonly string[]) {
      const named = [{ _id: { $in: [...ids] } }, { email_key: { $in: emails.map(emailKey) } }];
      const rows = await contacts.find({ $or: named.map((where) => ({ account_id: accountId, ...where })) }).toArray();
      return { contacts: rows.map(contactOf) };
    },

    /** The next 1,000 accounts that have contacts, by a loose index scan. */
    async accounts(after: string | null) {
      const accountIds: string[] = [];
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
  };
}

/** The filters under which a contact is unique in its account. */
function identityOf({ email, external_id, phone }: Contact) {
  return {
    ...(email && { email: { email_key: emailKey(email) } }),
    ...(external_id && { external_id: { external_id } }),
    ...(phone && { phone: { phone } }),
  };
}

function documentOf(accountId: string, { id, created_at, updated_at, last_seen_at, ...members }: Contact): ContactDocument {
  return {
    _id: id,
    account_id: accountId,
    ...members,
    ...(members.email === null ? {} : { email_key: emailKey(members.email) }),
    attribute_pairs: Object.entries(members.attributes).flatMap(([key, value]) => [value].flat().map((one) => attributePair(key, one))),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    last_seen_at: last_seen_at === null ? null : new Date(last_seen_at),
  };
}

function contactOf({
  _id,
  account_id,
  email_key,
  attribute_pairs,
  created_at,
  updated_at,
  last_seen_at,
  ...members
}: ContactDocument): Contact {
  return {
    id: _id,
    ...members,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    last_seen_at: last_seen_at?.toISOString() ?? null,
  };
}
