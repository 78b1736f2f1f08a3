import { randomUUID } from 'node:crypto';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { StoredSegment } from '../segments/segment.ts';

/**
 * A pass over a whole segment: `fill` evaluates every contact for a new version, `copy` adds the members of another segment to a
 * static one, `empty` removes the members of a deleted segment.
 */
type Kind = 'fill' | 'copy' | 'empty';

type BackfillDocument = {
  _id: SegmentId;
  account_id: AccountId;
  kind: Kind;
  version: number;
  segment_name: string;
  /** Only for `copy`: the members to copy, and the caller that requested it. */
  source?: CopySource;
  /** Only for `fill`: what it changes starts no workflows. */
  starts_workflows?: false;
  correlation_id: string;
  /** The last contact that was evaluated. */
  after: ContactId | null;
  not_before: Date;
  /** Only for `empty`: no members were left, and they are checked once more after every earlier transaction has ended. */
  last_look: boolean;
  failures: number;
  /** The lease of the process that works on it. A process that finds a different value has lost it. */
  claim: string | null;
  leased_until: Date;
  served_at: Date;
};

/** The members of a segment as of a moment, and the caller that copies them. */
export type CopySource = { segment_id: SegmentId; as_of: Date; by: string };

export type Backfill = {
  segmentId: SegmentId;
  accountId: AccountId;
  kind: Kind;
  version: number;
  segmentName: string;
  source: CopySource | undefined;
  startsWorkflows: boolean;
  correlationId: string;
  after: ContactId | null;
  lastLook: boolean;
  failures: number;
  claim: string;
};

export type BackfillsStore = ReturnType<typeof createBackfillsStore>;

const leaseMs = 10_000;
const free = new Date(0);

/** Aborts a transaction because another process has taken over the backfill or the definition has changed. */
export class LostBackfill extends Error {}

/** Owns the `backfills` collection, a work queue over all accounts. */
export function createBackfillsStore(db: Db) {
  const backfills = db.collection<BackfillDocument>('backfills');

  type Work = Pick<BackfillDocument, 'kind' | 'source' | 'starts_workflows'>;

  async function put(tx: Transaction, accountId: AccountId, segment: StoredSegment, work: Work) {
    const { id, version, name } = segment;
    const fresh = { after: null, not_before: free, last_look: false, failures: 0, claim: null, leased_until: free, served_at: free };
    await backfills.replaceOne(
      { _id: id, account_id: accountId },
      { account_id: accountId, ...work, version, segment_name: name, correlation_id: tx.correlationId, ...fresh },
      { session: tx.session, upsert: true },
    );
  }

  const mine = ({ segmentId, accountId, claim }: Backfill) => ({ _id: segmentId, account_id: accountId, claim });

  return {
    prepare: () => prepareCollection(backfills, [{ key: { served_at: 1 } }, { key: { account_id: 1 } }], db),

    /** Starts, or restarts, evaluating every contact. */
    fill: (tx: Transaction, accountId: AccountId, segment: StoredSegment, startsWorkflows = true) =>
      put(tx, accountId, segment, { kind: 'fill', ...(!startsWorkflows && { starts_workflows: false }) }),
    /** Starts adding the members of another segment. */
    copy: (tx: Transaction, accountId: AccountId, segment: StoredSegment, source: CopySource) =>
      put(tx, accountId, segment, { kind: 'copy', source }),
    /** Starts removing every member. */
    empty: (tx: Transaction, accountId: AccountId, segment: StoredSegment) => put(tx, accountId, segment, { kind: 'empty' }),

    /** Leases the backfill that was served least recently. Another process gets it only if the lease expires. */
    async claim(): Promise<Backfill | undefined> {
      const now = new Date();
      const claim = randomUUID();
      const row = await backfills.findOneAndUpdate(
        { leased_until: { $lte: now }, not_before: { $lte: now } },
        { $set: { claim, leased_until: new Date(now.getTime() + leaseMs), served_at: now } },
        { sort: { served_at: 1 }, returnDocument: 'after' },
      );
      if (!row) return undefined;
      const { _id, account_id, segment_name, correlation_id, last_look, kind, version, source, after, failures } = row;
      const { starts_workflows: startsWorkflows = true } = row;
      return {
        segmentId: _id,
        accountId: account_id,
        kind,
        version,
        segmentName: segment_name,
        source,
        startsWorkflows,
        correlationId: correlation_id,
        after,
        lastLook: last_look,
        failures,
        claim,
      };
    },

    /** Records progress in the transaction that made it. Throws LostBackfill if this process no longer holds it. */
    async advance(tx: Transaction, backfill: Backfill, after: ContactId | null) {
      const { matchedCount } = await backfills.updateOne(
        mine(backfill),
        { $set: { after, failures: 0, leased_until: new Date(Date.now() + leaseMs) } },
        { session: tx.session },
      );
      if (matchedCount === 0) throw new LostBackfill();
    },

    /** Throws LostBackfill if this process no longer holds it. */
    async finish(tx: Transaction, backfill: Backfill) {
      const { deletedCount } = await backfills.deleteOne(mine(backfill), { session: tx.session });
      if (deletedCount === 0) throw new LostBackfill();
    },

    async release(backfill: Backfill) {
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free } });
    },

    /** Delays it after a failure. */
    async delay(backfill: Backfill, ms: number) {
      const not_before = new Date(Date.now() + ms);
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free, not_before }, $inc: { failures: 1 } });
    },

    async checkAgain(backfill: Backfill, ms: number) {
      const not_before = new Date(Date.now() + ms);
      await backfills.updateOne(mine(backfill), { $set: { claim: null, leased_until: free, not_before, last_look: true } });
    },

    async remove(backfill: Backfill) {
      await backfills.deleteOne(mine(backfill));
    },
  };
}
