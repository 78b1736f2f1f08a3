import { pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Db } from 'mongodb';
import type { Clock } from '../clock.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { Segment, StoredSegment } from './segment.ts';

type CountDocument = { _id: string; account_id: string; count: number; changed_at: Date | null; recount_at: Date };

export type SegmentCounts = ReturnType<typeof createSegmentCounts>;

const flushMs = 100;
const recountAfterMs = 10_000;
const recountAtLeastMs = 60 * 60 * 1_000;

/** A recount may take this share of the time. */
const recountShare = 0.01;

type Config = { db: Db; memberships: MembershipsStore; logger: Logger; clock: Clock };

/**
 * How many members each segment has, outside the transactions that change them: a counter inside would make all of a
 * segment's changes meet. Changes are added up after their commit; an exact recount follows every burst of them, and
 * comes every hour anyway, so that what a dying process did not add is not missing for ever.
 */
export function createSegmentCounts({ db, memberships, logger, clock }: Config) {
  const counts = db.collection<CountDocument>('segment_counts');
  let pending = new Map<string, { accountId: string; change: number }>();

  function add(accountId: string, id: string, change: number) {
    pending.set(id, { accountId, change: (pending.get(id)?.change ?? 0) + change });
  }

  async function flush() {
    if (pending.size === 0) return;
    const changes = pending;
    pending = new Map();
    const now = clock();
    const soon = new Date(Date.now() + recountAfterMs);
    const updates = [...changes].map(([id, { accountId, change }]) => ({
      updateOne: {
        filter: { _id: id, account_id: accountId },
        update: { $inc: { count: change }, $set: { changed_at: now }, $min: { recount_at: soon } },
      },
    }));
    try {
      await counts.bulkWrite(updates, { ordered: false });
    } catch (error) {
      // Some of them may have been added: the recount after the next change tells.
      for (const [id, { accountId, change }] of changes) add(accountId, id, change);
      throw error;
    }
  }

  /** Counts exactly. Changes committed meanwhile may be added twice; they asked for another recount. */
  async function recount(accountId: string, id: string) {
    pending.delete(id);
    const begun = Date.now();
    const count = await memberships.count(accountId, id, 'now');
    const recount_at = new Date(Date.now() + recountAtLeastMs);
    await counts.updateOne({ _id: id, account_id: accountId }, { $set: { count, changed_at: clock(), recount_at } });
    return Date.now() - begun;
  }

  async function recountDue(signal?: AbortSignal) {
    const due = await counts
      .find({ recount_at: { $lte: new Date() } })
      .limit(100)
      .toArray();
    for (const { _id, account_id } of due) {
      const tookMs = await recount(account_id, _id);
      await pause(Math.min(tookMs / recountShare, 60_000), signal);
      if (signal?.aborted) return;
    }
  }

  const behind = 'counts are behind; they will be recounted';

  const flushing = createRunner({
    logger,
    warning: behind,
    backoffMs: { first: 200, most: 5_000 },
    lookEveryMs: flushMs,
    async work() {
      await flush();
      return false;
    },
  });

  const recounting = createRunner({
    logger,
    warning: 'segments not recounted; trying on',
    backoffMs: { first: recountAfterMs, most: recountAfterMs },
    lookEveryMs: recountAfterMs / 2,
    async work(signal) {
      await recountDue(signal);
      return false;
    },
  });

  return {
    prepare: () => prepareCollection(counts, [{ key: { recount_at: 1 } }, { key: { account_id: 1 } }], db),

    async insert(tx: Transaction, accountId: string, id: string) {
      const recount_at = new Date(Date.now() + recountAtLeastMs);
      await counts.insertOne({ _id: id, account_id: accountId, count: 0, changed_at: null, recount_at }, { session: tx.session });
    },

    /** To be called after the commit. */
    add,

    flush,
    recount,
    recountDue,

    async remove(tx: Transaction, accountId: string, id: string) {
      await counts.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    /** The segments as the API shows them. */
    async views(accountId: string, segments: readonly StoredSegment[]): Promise<Segment[]> {
      const ids = segments.map(({ id }) => id);
      const found = await counts.find({ account_id: accountId, _id: { $in: ids } }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return segments.map((segment) => viewOf(segment, byId.get(segment.id)));
    },

    async view(accountId: string, segment: StoredSegment): Promise<Segment> {
      return viewOf(segment, (await counts.findOne({ _id: segment.id, account_id: accountId })) ?? undefined);
    },

    start() {
      flushing.start();
      recounting.start();
    },
    async stop() {
      await Promise.all([flushing.stop(), recounting.stop()]);
      await flush().catch((error: unknown) => logger.warn({ err: error }, behind));
    },
  };
}

/** What the API shows of a segment: its own members and its figures, nothing of how it is kept. */
export function viewOf(
  { definition_at, building_from, builds, ...segment }: StoredSegment,
  figures: { count: number; changed_at: Date | null } | undefined,
): Segment {
  return { ...segment, count: Math.max(0, figures?.count ?? 0), evaluated_at: figures?.changed_at?.toISOString() ?? null };
}
