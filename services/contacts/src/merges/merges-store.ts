import type { Contact } from '@mp/contracts/contact';
import { notFound } from '@mp/contracts/errors';
import type { AccountId, ContactId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { MergeRecord } from './merge.ts';

type MergeDocument = Omit<MergeRecord, 'id' | 'created_at' | 'undone_at'> & {
  _id: string;
  account_id: AccountId;
  created_at: Date;
  undone_at: Date | null;
};

export type MergesStore = ReturnType<typeof createMergesStore>;

/** Owns the `merges` collection. */
export function createMergesStore(db: Db, cursors: Cursors) {
  const merges = db.collection<MergeDocument>('merges');

  return {
    prepare: () =>
      prepareCollection(
        merges,
        [
          { name: 'contact', key: { account_id: 1, contact_id: 1, _id: 1 } },
          { name: 'source', key: { account_id: 1, source_id: 1 } },
          { name: 'source_merged', key: { account_id: 1, source_merged_ids: 1 } },
        ],
        db,
      ),

    async add(
      tx: Transaction,
      accountId: AccountId,
      {
        id,
        contact,
        source,
        merged,
        sourceMergedIds,
      }: { id: string; contact: Contact; source: Contact; merged: Contact; sourceMergedIds: ContactId[] },
      now: Date,
    ) {
      const row: MergeDocument = {
        _id: id,
        account_id: accountId,
        contact_id: contact.id,
        source_id: source.id,
        status: 'merged',
        contact,
        source,
        merged,
        source_merged_ids: sourceMergedIds,
        created_at: now,
        undone_at: null,
      };
      await merges.insertOne(row, { session: tx.session });
      return recordOf(row);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, contactId: ContactId, id: string, tx: Transaction): Promise<MergeRecord> {
      const row = await merges.findOne({ _id: id, account_id: accountId, contact_id: contactId }, { session: tx.session });
      if (!row) throw notFound();
      return recordOf(row);
    },

    /** Newest first. */
    async list(accountId: AccountId, contactId: ContactId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage<MergeDocument>({
        collection: merges,
        filter: { account_id: accountId, contact_id: contactId },
        order: { field: '_id', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['merges', accountId, contactId],
      });
      return { items: items.map(recordOf), pagination };
    },

    /** The contacts merged into one of these by a merge in force, as they were before it. */
    async absorbed(accountId: AccountId, contactIds: readonly ContactId[], tx: Transaction): Promise<Contact[]> {
      const rows = await merges
        .find({ account_id: accountId, contact_id: { $in: [...contactIds] }, status: 'merged' }, { session: tx.session })
        .toArray();
      return rows.map(({ source }) => source);
    },

    /** The consent each contact had after the newest merge into it in force; contacts without such a merge are absent. */
    async consents(accountId: AccountId, contactIds: readonly ContactId[], tx: Transaction): Promise<Map<ContactId, Contact['consent']>> {
      const rows = await merges
        .find({ account_id: accountId, contact_id: { $in: [...contactIds] }, status: 'merged' }, { session: tx.session })
        .sort({ contact_id: 1, _id: 1 })
        .project<{ contact_id: ContactId; merged: Pick<Contact, 'consent'> }>({ contact_id: 1, 'merged.consent': 1 })
        .toArray();
      return new Map(rows.map(({ contact_id, merged }) => [contact_id, merged.consent]));
    },

    /** The newest merge into this contact that is in force. */
    async newest(accountId: AccountId, contactId: ContactId, tx: Transaction): Promise<string | undefined> {
      const row = await merges.findOne(
        { account_id: accountId, contact_id: contactId, status: 'merged' },
        { session: tx.session, sort: { _id: -1 }, projection: { _id: 1 } },
      );
      return row?._id;
    },

    async markUndone(tx: Transaction, accountId: AccountId, id: string, now: Date): Promise<MergeRecord> {
      const row = await merges.findOneAndUpdate(
        { _id: id, account_id: accountId },
        { $set: { status: 'undone', undone_at: now } },
        { session: tx.session, returnDocument: 'after' },
      );
      if (!row) throw notFound();
      return recordOf(row);
    },

    /**
     * Removes the merges into these deleted contacts, and the undone merges of them into others. Other merges into the same
     * contact, made before the undo, also contain their data and are removed too. Returns how many were removed.
     */
    async erase(accountId: AccountId, contactIds: readonly ContactId[]) {
      const ids = { $in: [...contactIds] };
      const undone = await merges
        .find({
          $or: [{ source_id: ids }, { source_merged_ids: ids }].map((where) => ({ account_id: accountId, status: 'undone', ...where })),
        })
        .project<Pick<MergeDocument, 'contact_id' | 'created_at' | 'undone_at'>>({ contact_id: 1, created_at: 1, undone_at: 1 })
        .toArray();
      const parts = undone.map(({ contact_id, created_at, undone_at }) => ({
        account_id: accountId,
        contact_id,
        status: 'undone' as const,
        created_at: { $gte: created_at, $lte: undone_at ?? created_at },
      }));
      return (await merges.deleteMany({ $or: [{ account_id: accountId, contact_id: ids }, ...parts] })).deletedCount;
    },
  };
}

const recordOf = ({ _id, account_id, created_at, undone_at, ...record }: MergeDocument): MergeRecord => ({
  id: _id,
  ...record,
  created_at: created_at.toISOString(),
  undone_at: undone_at?.toISOString() ?? null,
});
