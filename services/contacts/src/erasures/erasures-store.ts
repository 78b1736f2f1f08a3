import type { Contact } from '@mp/contracts/contact';
import { notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type Erasure, type ReceiptService, receiptServices } from './erasure.ts';

type Receipt = { at: Date; removed: Record<string, number> };

/** Kept as proof. It identifies the contact only by ids that no longer refer to anything. */
type ErasureDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  contact_ids: ContactId[];
  /** The hashes of its addresses and external IDs, by which what was said of it is found. */
  hashes: string[];
  revision: number;
  status: 'running' | 'completed';
  receipts: Partial<Record<ReceiptService, Receipt>>;
  requested_at: Date;
  completed_at: Date | null;
  /** When this service checks it next, and when it was last published. */
  due_at: Date;
  told_at: Date;
};

export type ErasureJob = {
  id: string;
  accountId: AccountId;
  contactId: ContactId;
  contactIds: ContactId[];
  hashes: string[];
  revision: number;
  publishedAt: Date;
  isLocalPending: boolean;
  isRemotePending: boolean;
};
export type ErasuresStore = ReturnType<typeof createErasuresStore>;

const leaseMs = 60_000;
const maxOpenRead = 10_000;

/** Owns the `erasures` collection. */
type NewErasure = { contact: Contact; contactIds: ContactId[]; hashes: string[]; id?: string | undefined; now?: Date };

export function createErasuresStore(db: Db) {
  const erasures = db.collection<ErasureDocument>('erasures');

  return {
    prepare: () =>
      prepareCollection(
        erasures,
        [
          { name: 'contact', key: { account_id: 1, contact_id: 1 } },
          { name: 'queue', key: { status: 1, due_at: 1 } },
          { name: 'hashes', key: { account_id: 1, hashes: 1 } },
        ],
        db,
      ),

    async add(
      tx: Transaction,
      accountId: AccountId,
      { contact, contactIds, hashes, id = newId('erasure'), now = new Date() }: NewErasure,
    ): Promise<Erasure> {
      const row: ErasureDocument = {
        _id: id,
        account_id: accountId,
        contact_id: contact.id,
        contact_ids: contactIds,
        hashes,
        revision: contact.revision + 1,
        status: 'running',
        receipts: {},
        requested_at: now,
        completed_at: null,
        due_at: now,
        told_at: now,
      };
      await erasures.insertOne(row, { session: tx.session });
      return viewOf(row);
    },

    /** Whether a contact with one of these identifiers has been erased since. */
    erasedSince: async (tx: Transaction, accountId: AccountId, hashes: readonly string[], at: Date): Promise<boolean> =>
      (await erasures.findOne(
        { account_id: accountId, hashes: { $in: [...hashes] }, requested_at: { $gte: at } },
        { session: tx.session, projection: { _id: 1 } },
      )) !== null,

    /** Which of these ids exist. */
    async known(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const found = await erasures.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray();
      return new Set(found.map(({ _id }) => _id));
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<Erasure> {
      const row = await erasures.findOne({ _id: id, account_id: accountId });
      if (!row) throw notFound();
      return viewOf(row);
    },

    /** Stores the receipt of a service that has removed everything. The first receipt of each service counts. */
    async receive(
      tx: Transaction,
      accountId: AccountId,
      { id, service, receipt }: { id: string; service: ReceiptService; receipt: Receipt },
    ) {
      await erasures.updateOne(
        { _id: id, account_id: accountId, [`receipts.${service}`]: { $exists: false } },
        { $set: { [`receipts.${service}`]: receipt, due_at: new Date() } },
        { session: tx.session },
      );
    },

    /** Leases the next due erasure to this process for a minute. */
    async claim(now = new Date()): Promise<ErasureJob | undefined> {
      const [due, leased, earliestFirst] = nextDue(now, leaseMs);
      const row = await erasures.findOneAndUpdate({ status: 'running', ...due }, leased, earliestFirst);
      if (!row) return undefined;
      return {
        id: row._id,
        accountId: row.account_id,
        contactId: row.contact_id,
        contactIds: row.contact_ids,
        hashes: row.hashes,
        revision: row.revision,
        publishedAt: row.told_at,
        isLocalPending: row.receipts.contacts === undefined,
        isRemotePending: receiptServices.some((service) => service !== 'contacts' && row.receipts[service] === undefined),
      };
    },

    /** Age of the oldest erasure that is not complete, in seconds; 0 when there is none. */
    async oldestOpenSeconds(now = new Date()): Promise<number> {
      const [oldest] = await erasures
        .aggregate<{ at: Date }>([
          { $match: { status: 'running' } },
          { $limit: maxOpenRead },
          { $group: { _id: null, at: { $min: '$requested_at' } } },
        ])
        .toArray();
      return oldest ? Math.max(0, now.getTime() - oldest.at.getTime()) / 1_000 : 0;
    },

    /** For work that needs the broker while it is unavailable, such as right after a start; retried in a second. */
    async postpone(id: string, now = new Date()) {
      await erasures.updateOne({ _id: id }, { $set: { due_at: new Date(now.getTime() + 1_000) } });
    },

    async markPublished(tx: Transaction, id: string, now: Date) {
      await erasures.updateOne({ _id: id }, { $set: { told_at: now } }, { session: tx.session });
    },

    async complete(id: string, now = new Date()) {
      await erasures.updateOne({ _id: id, status: 'running' }, { $set: { status: 'completed', completed_at: now } });
    },
  };
}

const viewOf = ({ _id, contact_id, status, receipts, requested_at, completed_at }: ErasureDocument): Erasure => ({
  id: _id,
  contact_id,
  status,
  receipts: Object.fromEntries(
    receiptServices.map((service) => {
      const receipt = receipts[service];
      return [service, receipt ? { at: receipt.at.toISOString(), removed: receipt.removed } : null];
    }),
  ),
  created_at: requested_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
});
