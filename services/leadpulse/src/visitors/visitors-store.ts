import { notFound } from '@mp/contracts/errors';
import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { Claimant } from '../identities/identities-store.ts';
import type { Visitor, VisitorTouch } from './visitor.ts';
import { type ListVisitorsQuery, type Resolved, visitorIndexes, visitorsFilter } from './visitor-filters.ts';

/**
 * `attributing` is present while earlier events wait to be published as the contact's, since `attributing_at`, which an
 * earlier version did not store.
 */
type VisitorDocument = Omit<Visitor, 'id'> & { _id: VisitorId; attributing?: true; attributing_at?: Date };

/** A visitor whose contact has become known. */
type Identified = { accountId: AccountId; visitorId: VisitorId; contactId: ContactId };

export type VisitorsStore = ReturnType<typeof createVisitorsStore>;

/** Combined filters read the rows of one of them. */
const maxListMs = 5_000;

/** Owns the `visitors` collection. Every query names the account, except that of the queue. */
export function createVisitorsStore(db: Db, cursors: Cursors) {
  const visitors = db.collection<VisitorDocument>('visitors');

  /** Since when the account's longest-waiting (`oldest`) or latest (`newest`) visitor has waited for its earlier events to be published. */
  async function attributingSince(accountId: AccountId, which: 'oldest' | 'newest'): Promise<Date | undefined> {
    const sort = { attributing_at: which === 'oldest' ? 1 : -1 } as const;
    const row = await visitors.findOne({ attributing: true, account_id: accountId }, { sort, projection: { attributing_at: 1 } });
    return row ? (row.attributing_at ?? new Date(0)) : undefined;
  }

  return {
    prepare: () =>
      prepareCollection(
        visitors,
        Object.entries(visitorIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      ),

    /** The accounts with visitors. */
    accounts: (): Promise<AccountId[]> => visitors.distinct('account_id', {}, { hint: 'key' }),

    async byKeys(tx: Transaction, accountId: AccountId, keys: readonly string[]): Promise<Map<string, Visitor>> {
      const rows = await visitors
        .find({ account_id: accountId, key: { $in: [...keys] } }, { session: tx.session })
        .hint('key')
        .batchSize(keys.length + 1)
        .toArray();
      return new Map(rows.map((row) => [row.key, visitorOf(row)]));
    },

    /**
     * Writes visitors after counting; for those with `before`, which `byKeys` has read in the same transaction, only what changed, by
     * ID alone (see the events store). `attributing`: their earlier events now belong to a contact.
     */
    async write(tx: Transaction, these: readonly { visitor: Visitor; before: Visitor | undefined; attributing: boolean }[]) {
      const operations = these.map(({ visitor, before, attributing }): AnyBulkWriteOperation<VisitorDocument> => {
        const { id, ...members } = visitor;
        if (!before) return { insertOne: { document: { _id: id, ...members } } };
        const known = new Map<string, unknown>(Object.entries(before));
        const changed = Object.entries(members).filter(([name, value]) => value !== known.get(name));
        const update = { $set: { ...Object.fromEntries(changed), ...(attributing && { attributing }) }, ...(attributing && sinceNow()) };
        return { updateOne: { filter: { _id: id }, update } };
      });
      await visitors.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /**
     * Identifies visitors without a contact as the first contact with one of their claims, and schedules the earlier events of all
     * visitors with such a claim to be published. Returns those that had no contact.
     */
    async identify(tx: Transaction, claimants: readonly Claimant[]): Promise<Identified[]> {
      const { session } = tx;
      const wanted = [...Map.groupBy(claimants, ({ accountId }) => accountId)].flatMap(([account_id, own]) => {
        const claims = own.flatMap(({ claims }) => claims);
        return claims.length === 0 ? [] : [{ account_id, claims: { $in: claims } }];
      });
      if (wanted.length === 0) return [];
      const found = await visitors
        .find(wanted.length === 1 && wanted[0] ? wanted[0] : { $or: wanted }, { session })
        .project<Pick<VisitorDocument, '_id' | 'account_id' | 'contact_id' | 'claims'>>({ account_id: 1, contact_id: 1, claims: 1 })
        .toArray();
      if (found.length === 0) return [];
      const first = firstClaimants(claimants);
      const identified = found.flatMap(({ _id, account_id, contact_id, claims }): Identified[] => {
        const contactId = contact_id === null ? first(account_id, claims) : undefined;
        return contactId === undefined ? [] : [{ accountId: account_id, visitorId: _id, contactId }];
      });
      await visitors.bulkWrite(
        [
          ...identified.map(({ accountId: account_id, visitorId: _id, contactId: contact_id }) => ({
            updateOne: { filter: { _id, account_id, contact_id: null }, update: { $set: { contact_id, identified: true } } },
          })),
          ...[...Map.groupBy(found, ({ account_id }) => account_id)].map(([account_id, own]) => ({
            updateMany: {
              filter: { account_id, _id: { $in: own.map(({ _id }) => _id) } },
              update: { $set: { attributing: true as const }, ...sinceNow() },
            },
          })),
        ],
        { session },
      );
      return identified;
    },

    /** The visitor whose earlier events have waited longest to be published. */
    async nextAttributing(): Promise<{ account_id: AccountId; id: VisitorId } | undefined> {
      const row = await visitors.findOne({ attributing: true }, { sort: { attributing_at: 1 }, projection: { account_id: 1 } });
      return row ? { account_id: row.account_id, id: row._id } : undefined;
    },

    attributingSince,

    async find(accountId: AccountId, id: VisitorId, tx?: Transaction): Promise<Visitor | undefined> {
      const row = await visitors.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return row ? visitorOf(row) : undefined;
    },

    async finishAttributing(tx: Transaction, accountId: AccountId, id: VisitorId) {
      await visitors.updateOne({ _id: id, account_id: accountId }, { $unset: attributed }, { session: tx.session });
    },

    /**
     * Makes the visitors of a contact anonymous by removing its ID and claims, and if it is erased, all their other claims
     * too. Returns the number of visitors.
     */
    async forget(accountId: AccountId, contactId: ContactId, claims: readonly string[], erased: boolean): Promise<number> {
      const own = { account_id: accountId, contact_id: contactId };
      // A visitor without an anonymous ID has a claim in its key.
      const keyed = await visitors.find({ account_id: accountId, key: { $in: [...claims] } }).toArray();
      if (erased) keyed.push(...(await visitors.find({ ...own, visitor_id: null }).toArray()));
      for (const { _id } of keyed) await visitors.updateOne({ _id, account_id: accountId }, { $set: { key: `forgotten:${_id}` } });
      const { modifiedCount } = await visitors.updateMany(own, {
        $set: { contact_id: null, identified: false, ...(erased && { claims: [] }) },
        $unset: attributed,
      });
      await visitors.updateMany({ account_id: accountId, claims: { $in: [...claims] } }, { $pullAll: { claims: [...claims] } });
      await visitors.updateMany(
        { account_id: accountId, 'conflicts.contact_id': contactId },
        { $pull: { conflicts: { contact_id: contactId } } },
      );
      return modifiedCount;
    },

    /** The first touches of visitors; null for those without one. */
    async firstTouches(accountId: AccountId, ids: readonly VisitorId[]): Promise<Map<VisitorId, VisitorTouch | null>> {
      const rows = await visitors
        .find({ account_id: accountId, _id: { $in: [...ids] } })
        .project<Pick<VisitorDocument, '_id' | 'first_touch'>>({ first_touch: 1 })
        .toArray();
      return new Map(rows.map(({ _id, first_touch }) => [_id, first_touch]));
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: VisitorId, tx?: Transaction): Promise<Visitor> {
      const visitor = await this.find(accountId, id, tx);
      if (!visitor) throw notFound();
      return visitor;
    },

    async remove(tx: Transaction, accountId: AccountId, id: VisitorId) {
      await visitors.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    /**
     * Deletes some visitors that were last seen before this time, except those with earlier events to publish. Returns whether
     * there may be more.
     */
    async removeBefore(accountId: AccountId, time: Date, limit: number): Promise<boolean> {
      const unseen = { account_id: accountId, bot: { $in: [false, true] }, last_seen_at: { $lt: time }, attributing: { $exists: false } };
      const old = await visitors
        .find(unseen, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      // One that was seen in the meantime is kept.
      await visitors.deleteMany({ ...unseen, _id: { $in: old.map(({ _id }) => _id) } });
      return old.length === limit;
    },

    async list(accountId: AccountId, query: ListVisitorsQuery, resolved: Resolved) {
      const { limit, cursor, include, ...filters } = query;
      const search = include?.includes('bots') ? { ...filters, include: 'bots' } : filters;
      const { where, order } = visitorsFilter(query, resolved);
      const { items, pagination } = await findPage({
        collection: visitors,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['visitors', accountId, search],
        maxMs: maxListMs,
      });
      return { items: items.map(visitorOf), pagination };
    },
  };
}

/** The first of these contacts that has one of a visitor's claims. */
function firstClaimants(claimants: readonly Claimant[]) {
  const orders = new Map<string, number>();
  for (const [order, { accountId, claims }] of claimants.entries())
    for (const claim of claims) {
      const key = `${accountId} ${claim}`;
      if (!orders.has(key)) orders.set(key, order);
    }
  return (accountId: AccountId, claims: readonly string[]): ContactId | undefined => {
    const found = claims.flatMap((claim) => orders.get(`${accountId} ${claim}`) ?? []);
    return claimants[Math.min(...found)]?.contactId;
  };
}

/** A visitor that is already waiting keeps its earlier time. */
const sinceNow = () => ({ $min: { attributing_at: new Date() } });
const attributed = { attributing: '', attributing_at: '' } as const;

const visitorOf = ({ _id, attributing, attributing_at, ...members }: VisitorDocument): Visitor => ({ id: _id, ...members });
