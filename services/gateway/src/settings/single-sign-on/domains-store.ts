import { ApiError, notFound } from '@mp/contracts/errors';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { newestFirst } from '../newest-first.ts';
import type { DomainRow } from './domain.ts';

type DomainDocument = Omit<DomainRow, 'id'> & { _id: string };

export type DomainsStore = ReturnType<typeof createDomainsStore>;

/** The maximum of accounts whose providers are offered for an email address. */
const maxAccountsPerDomain = 5;

/** Owns the `domains` collection. */
export function createDomainsStore(db: Db) {
  const domains = db.collection<DomainDocument>('domains');

  return {
    prepare: () =>
      prepareCollection(
        domains,
        [
          { key: { account_id: 1, created_at: -1, _id: -1 } },
          { key: { account_id: 1, domain: 1 }, name: 'one_domain', unique: true },
          // Sign-in does not name an account.
          { key: { domain: 1, verified_at: 1 } },
        ],
        db,
      ),

    /** Throws CONFLICT if the account has the domain. */
    async insert(tx: Transaction, { id, ...fields }: DomainRow) {
      const { account_id, domain } = fields;
      const known = await domains.findOne({ account_id, domain }, { session: tx.session, projection: { _id: 1 } });
      if (known)
        throw new ApiError('CONFLICT', `The domain ${domain} already exists: ${known._id}.`, {
          details: [{ path: '/domain', id: known._id }],
        });
      await domains.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<DomainRow> {
      const document = await domains.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return rowFrom(document);
    },

    list: newestFirst(domains, rowFrom),

    count: (tx: Transaction, accountId: AccountId) => domains.countDocuments({ account_id: accountId }, { session: tx.session }),

    async isVerified(tx: Transaction, accountId: AccountId, domain: string): Promise<boolean> {
      const own = { account_id: accountId, domain, verified_at: { $ne: null } };
      return (await domains.findOne(own, { session: tx.session, projection: { _id: 1 } })) !== null;
    },

    /** The accounts that have proven this domain. */
    async accountsOf(domain: string, tx?: Transaction): Promise<AccountId[]> {
      const found = domains.find(
        { domain, verified_at: { $ne: null } },
        { projection: { account_id: 1 }, ...(tx && { session: tx.session }) },
      );
      return (await found.sort({ verified_at: 1 }).limit(maxAccountsPerDomain).toArray()).map(({ account_id }) => account_id);
    },

    async update(tx: Transaction, { id, account_id, verified_at, checked_at }: DomainRow) {
      await domains.updateOne({ _id: id, account_id }, { $set: { verified_at, checked_at } }, { session: tx.session });
    },

    async delete(tx: Transaction, { id, account_id }: DomainRow) {
      await domains.deleteOne({ _id: id, account_id }, { session: tx.session });
    },
  };
}

const rowFrom = ({ _id, ...fields }: DomainDocument): DomainRow => ({ id: trustedId<'domain'>(_id), ...fields });
