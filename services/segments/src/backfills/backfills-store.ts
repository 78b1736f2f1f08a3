import { randomUUID } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { StoredSegment } from '../segments/segment.ts';

/** Work through a whole segment: `fill` asks every contact under a new version, `empty` lets every member of a deleted one out. */
type BackfillDocument = {
  _id: string;
  account_id: string;
  kind: 'fill' | 'empty';
  version: number;
  segment_name: string;
  correlation_id: string;
  /** The last contact that was asked. */
  after: string | null;
  not_before: Date;
  /** Of a deleted segment: it was empty, and is looked at once more when every transaction from before has ended. */
  last_look: boolean;
  failures: number;
  /** Who works on it; whoever finds another name here has lost it. */
  claim: string | null;
  leased_until: Date;
  served_at: Date;
};

export type Backfill = {
  segmentId: string;
  accountId: string;
  kind: 'fill' | 'empty';
  version: number;
  segmentName: string;
  correlationId: string;
  after: string | null;
  lastLook: boolean;
  failures: number;
  claim: string;
};

export type BackfillsStore = ReturnType<typeof createBackfillsStore>;

const leaseMs = 10_000;
const free = new Date(0);

/** Thrown inside a transaction that must not commit: another has taken the work, or the definition has changed. */
export class LostBackfill extends Error {}

/** The only place that knows the `backfills` collection: a work queue over all accounts. */
export function createBackfillsStore(db: Db) {
  const backfills = db.collection<BackfillDocument>('backfills');

  async function put(tx: Transaction, accountId: string, { id, version, name }: StoredSegment, kind: 'fill' | 'empty') {
    const fresh = { after: null, not_before: free, last_look: false, failures: 0, claim: null, leased_until: free, served_at: free };
    await backfills.replaceOne(
      { _id: id, account_id: accountId },
      { account_id: accountId, kind, version, segment_name: name, correlation_id: tx.correlationId, ...fresh },
      { session: tx.session, upsert: true },
    );
  }

  const mine = ({ segmentId, accountId, claim }: Backfill) => ({ _id: segmentId, account_id: accountId, claim });

  return {
    prepare: () => prepareCollection(backfills, [{ key: { served_at: 1 } }, { key: { account_id: 1 } }], db),

    /** Begins, or begins again, to ask every contact. */
    fill: (tx: Transaction, accountId: string, segment: StoredSegment) => put(tx, accountId, segment, 'fill'),
    /** Begins to let every member out. */
    empty: (tx: Transaction, accountId: string, segment: StoredSegment) => put(tx, accountId, segment, 'empty'),

    /** Takes the work that was served longest ago, for a while: nobody else gets it unless we die. */
    async claim(): Promise<Backfill | undefined> {
      const now = new Date();
      const claim = randomUUID();
      const row = await backfills.findOneAndUpdate(
        { leased_until: { $lte: now }, not_before: { $lte: now } },
        { $set: { claim, leased_until: new Date(now.getTime() + leaseMs), served_at: now } },
        { sort: { served_at: 1 }, returnDocument: 'after' },
      );
      if (!row) return undefined;
      const { _id, account_id, segment_name, correlation_id, last_look, kind, version, after, failures } = row;
      return {
        segmentId: _id,
        accountId: account_id,
        kind,
        version,
        segmentName: segment_name,
        correlationId: correlation_id,
        after,
        lastLook: last_look,
        failures,
        claim,
      };
    },

    /** Notes how far the work is, in the transaction that did it. Throws LostBackfill when it is not ours any more. */
    async advance(tx: Transaction, backfill: Backfill, after: string | null) {
      const { matchedCount } = await backfills.updateOne(
        mine(backfill),
        { $set: { after, failures: 0, leased_until: new Date(Date.now() + leaseMs) } },
        { session: tx.session },
      );
      if (matchedCount === 0) throw new LostBackfill();
    },

    /** Throws LostBackfill when it is not ours any more. */
    async finish(tx: Transaction, backfill: Backfill) {
      const { deletedCount } = await backfills.deleteOne(mine(backfill), { session: tx.session });
      if (deletedCount === 0) throw new LostBackfill();
    },

    async release(backfill: Backfill) {
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free } });
    },

    /** Lets it rest after a failure. */
    async rest(backfill: Backfill, ms: number) {
      const not_before = new Date(Date.now() + ms);
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free, not_before }, $inc: { failures: 1 } });
    },

    async lookAgain(backfill: Backfill, ms: number) {
      const not_before = new Date(Date.now() + ms);
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free, not_before, last_look: true } });
    },

    async remove(backfill: Backfill) {
      await backfills.deleteOne(mine(backfill));
    },
  };
}
