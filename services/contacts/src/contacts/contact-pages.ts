import type { Contact, SuppressionKind } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection, Filter } from 'mongodb';
import { type ContactDocument, contactOf } from './contact-document.ts';
import type { contactIndexes } from './contact-filters.ts';

export type Scan = {
  where: Filter<ContactDocument>;
  index: keyof typeof contactIndexes;
  after: { created_at: Date; id: ContactId } | undefined;
  limit: number;
};

export type AddressedBy = SuppressionKind | 'suppressed';
/** An address or several, or a domain. */
export type Addressed = string | readonly string[];

function addressedBy(kind: AddressedBy, value: Addressed): Filter<ContactDocument> {
  switch (kind) {
    case 'email':
      return { email_key: oneOrMany(value) };
    case 'domain':
      return { email_domain: oneOrMany(value) };
    case 'suppressed':
      return { status: { $in: ['bounced', 'complained', 'suppressed'] } };
  }
}

const oneOrMany = (value: Addressed) => (typeof value === 'string' ? value : { $in: [...value] });

/** Reads many contacts in the order of an index, a page at a time: for jobs, commands and searches. */
export function createContactPages(contacts: Collection<ContactDocument>) {
  return {
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

    /** The contacts with these addresses, or with any address of this domain, or all suppressed ones, in id order. */
    async pageByAddress(
      tx: Transaction,
      accountId: AccountId,
      { kind, value, after, limit }: { kind: AddressedBy; value: Addressed; after: ContactId | null; limit: number },
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

    /** Newest first, using one index: for searches that read more contacts than they return. */
    async scan(accountId: AccountId, { where, index, after, limit }: Scan): Promise<Contact[]> {
      const { created_at: at, id } = after ?? {};
      const beyond = at === undefined ? [{}] : [{ created_at: at, _id: { $lt: id } }, { created_at: { $lt: at } }];
      const parts = beyond.map((part) => ({ $and: [{ account_id: accountId, ...where }, part] }) as Filter<ContactDocument>);
      const rows = await contacts.find({ $or: parts }).sort({ created_at: -1, _id: -1 }).limit(limit).hint(index).toArray();
      return rows.map(contactOf);
    },

    /** Every normalised address of the account: for commands, not for requests. */
    addresses: (accountId: AccountId): AsyncIterable<{ _id: ContactId; email_key?: string }> =>
      contacts.find({ account_id: accountId, email_key: { $gt: '' } }, { projection: { email_key: 1 } }),

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
  };
}
