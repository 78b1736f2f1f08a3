import { notFound } from '@mp/contracts/errors';
import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { Visitor, VisitorTouch } from './visitor.ts';
import { type ListVisitorsQuery, type Resolved, visitorIndexes, visitorsFilter } from './visitor-filters.ts';

/**
 * `attributing` is present while earlier events wait to be published as the contact's, since `attributing_at`, which an
 * earlier version did not store.
 */
type VisitorDocument = Omit<Visitor, 'id'> & { _id: VisitorId; attributing?: true; attributing_at?: Date };

export type VisitorsStore = ReturnType<typeof createVisitorsStore>;

/** Combined filters read the rows of one of them. */
const maxListMs = 5_000;

/** The only access to the `visitors` collection. Every query names the account, except that of the queue. */
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
      const rows = await visitors.find({ account_id: accountId, key: { $in: [...keys] } }, { session: tx.session }).toArray();
      return new Map(rows.map((row) => [row.key, visitorOf(row)]));
    },

    /**
     * Writes visitors after counting; for those with `before`, only what changed. `attributing`: their earlier events now
     * belong to a contact.
     */
    async write(
      tx: Transaction,
      accountId: AccountId,
      these: readonly { visitor: Visitor; before: Visitor | undefined; attributing: boolean }[],
    ) {
      const operations = these.map(({ visitor, before, attributing }): AnyBulkWriteOperation<VisitorDocument> => {
        const { id, ...members } = visitor;
        if (!before) return { insertOne: { document: { _id: id, ...members } } };
        const known = new Map<string, unknown>(Object.entries(before));
        const changed = Object.entries(members).filter(([name, value]) => value !== known.get(name));
        const update = { $set: { ...Object.fromEntries(changed), ...(attributing && { attributing }) }, ...(attributing && sinceNow()) };
        return { updateOne: { filter: { _id: id, account_id: accountId }, update } };
      });
      await visitors.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /**
     * Identifies visitors with one of these claims and no contact as this contact, and schedules their earlier events to be published.
     * Returns the ids of those that had no contact.
     */
    async identify(tx: Transaction, accountId: AccountId, claims: readonly string[], contactId: ContactId) {
      const named = { account_id: accountId, claims: { $in: [...claims] } };
      const identified = { $set: { contact_id: contactId, identified: true } };
      const unknown = await visitors.find({ ...named, contact_id: null }, { projection: { _id: 1 }, session: tx.session }).toArray();
      await visitors.updateMany({ ...named, contact_id: null }, identified, { session: tx.session });
      await visitors.updateMany(named, { $set: { attributing: true }, ...sinceNow() }, { session: tx.session });
      return unknown.map(({ _id }) => _id);
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
      const asked = include?.includes('bots') ? { ...filters, include: 'bots' } : filters;
      const { where, order } = visitorsFilter(query, resolved);
      const { items, pagination } = await findPage({
        collection: visitors,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['visitors', accountId, asked],
        maxMs: maxListMs,
      });
      return { items: items.map(visitorOf), pagination };
    },
  };
}

/** A visitor that is already waiting keeps its earlier time. */
const sinceNow = () => ({ $min: { attributing_at: new Date() } });
const attributed = { attributing: '', attributing_at: '' } as const;

const visitorOf = ({ _id, attributing, attributing_at, ...members }: VisitorDocument): Visitor => ({ id: _id, ...members });
