import { type AccountId, newId, type SegmentId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import type { Clock } from '@mp/service-kit/clock';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { type Mongo, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { CountChange, CountChangesStore, Growth } from './count-changes-store.ts';
import { type GrowthStore, quarterMs } from './growth-store.ts';
import type { Segment, StoredSegment } from './segment.ts';

type CountDocument = {
  _id: SegmentId;
  account_id: AccountId;
  count: number;
  changed_at: Date | null;
  recount_at: Date;
  /** Whether the growth of the segment is stored since its first member; false for segments from before it was stored. */
  has_growth?: boolean;
};

export type SegmentCounts = ReturnType<typeof createSegmentCounts>;

const foldEveryMs = 100;
/** How soon another process folds the changes of a crashed one. */
const sweepMs = 1_000;
const maxFolded = 1_000;
const recountEveryMs = 60 * 60 * 1_000;
const lookForRecountsMs = 5_000;

/** The share of time that recounts may take. */
const recountShare = 0.01;

type Config = {
  mongo: Mongo;
  memberships: MembershipsStore;
  countChanges: CountChangesStore;
  growth: GrowthStore;
  logger: Logger;
  clock: Clock;
};

/**
 * The number of members of each segment. A transaction that changes memberships adds a row to a journal, because a counter
 * would make all changes of a segment conflict. Journal rows are added to the counts and removed in one transaction, so each
 * change counts once, even after a crash. The hourly recount is a safety net.
 */
export function createSegmentCounts({ mongo, memberships, countChanges, growth, logger, clock }: Config) {
  const counts = mongo.db.collection<CountDocument>('segment_counts');
  const origin = () => ({ correlationId: newId('request'), causationId: null });
  let dirty = false;
  let sweepAt = 0;

  /** Folds the oldest changes of all accounts. True when there may be more. */
  async function fold(): Promise<boolean> {
    if (!(await countChanges.hasAny())) return false;
    return mongo.transaction(origin(), async (tx) => {
      const changes = await countChanges.oldest(tx, maxFolded);
      if (changes.length === 0) return false;
      const updates = totals(changes).map(({ accountId, segmentId, by, at }) => ({
        updateOne: { filter: { _id: segmentId, account_id: accountId }, update: { $inc: { count: by }, $max: { changed_at: at } } },
      }));
      await counts.bulkWrite(updates, { session: tx.session, ordered: false });
      // A deleted segment has no growth.
      const present = await counts
        .find({ _id: { $in: updates.map(({ updateOne }) => updateOne.filter._id) } }, { session: tx.session, projection: { _id: 1 } })
        .toArray();
      const ids = new Set(present.map(({ _id }) => _id));
      await growth.add(
        tx,
        growthIn(changes).filter(({ segmentId }) => ids.has(segmentId)),
      );
      await countChanges.remove(
        tx,
        changes.map(({ id }) => id),
      );
      return changes.length === maxFolded;
    });
  }

  /** Counts the memberships in one snapshot with the journal. A difference is added to the journal, so nothing conflicts. */
  const recount = (accountId: AccountId, id: SegmentId) =>
    mongo.transaction(origin(), async (tx) => {
      const row = await counts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (!row) return;
      const journaled = totals(await countChanges.of(accountId, tx)).find(({ segmentId }) => segmentId === id)?.by ?? 0;
      const difference = (await memberships.count(accountId, id, 'now', tx)) - row.count - journaled;
      if (difference === 0) return;
      logger.error({ segment: id, difference }, 'the member count of a segment was wrong; corrected');
      await countChanges.correct(tx, accountId, id, { by: difference, at: row.changed_at ?? clock() });
    });

  /** Stores the growth of a segment from before growth was stored, once, from its memberships. */
  const tally = (accountId: AccountId, id: SegmentId) =>
    mongo.transaction(origin(), async (tx) => {
      const row = await counts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (!row || row.has_growth) return;
      await counts.updateOne({ _id: id, account_id: accountId }, { $set: { has_growth: true } }, { session: tx.session });
      await growth.remove(tx, accountId, id);
      const stored = (await memberships.changesPerPeriod(tx, accountId, id, quarterMs)).map(({ start, ...change }) => ({
        ...{ accountId, segmentId: id, quarter: start },
        ...change,
      }));
      // The journal has changes that will be added later.
      const later = growthIn(await countChanges.of(accountId, tx)).filter(({ segmentId }) => segmentId === id);
      const difference = [...stored, ...later.map((change) => ({ ...change, entered: -change.entered, left: -change.left }))];
      await growth.add(tx, summed(difference));
    });

  async function recountDue(signal?: AbortSignal) {
    const due = await counts
      .find({ recount_at: { $lte: new Date() } })
      .limit(100)
      .toArray();
    for (const { _id, account_id } of due) {
      noteInLogs({ account_id });
      const begun = Date.now();
      await recount(account_id, _id).catch((error: unknown) =>
        logger.warn({ err: error, segment: _id }, 'recounting a segment failed; retrying in an hour'),
      );
      await counts.updateOne({ _id, account_id }, { $set: { recount_at: new Date(Date.now() + recountEveryMs) } });
      await pause(Math.min((Date.now() - begun) / recountShare, 60_000), signal);
      if (signal?.aborted) return;
    }
  }

  const folding = createRunner({
    logger,
    warning: 'updating segment counts failed; retrying',
    backoffMs: { first: 200, max: 5_000 },
    lookEveryMs: foldEveryMs,
    async work() {
      if (!dirty && performance.now() < sweepAt) return foldEveryMs;
      dirty = false;
      sweepAt = performance.now() + sweepMs;
      return fold();
    },
  });

  const recounting = createRunner({
    logger,
    warning: 'recounting segments failed; retrying',
    backoffMs: { first: 10_000, max: 10_000 },
    lookEveryMs: lookForRecountsMs,
    async work(signal) {
      await recountDue(signal);
      return false;
    },
  });

  return {
    prepare: () => prepareCollection(counts, [{ key: { recount_at: 1 } }, { key: { account_id: 1 } }], mongo.db),

    async insert(tx: Transaction, accountId: AccountId, id: SegmentId) {
      const recount_at = new Date(Date.now() + recountEveryMs);
      await counts.insertOne(
        { _id: id, account_id: accountId, count: 0, changed_at: null, recount_at, has_growth: true },
        { session: tx.session },
      );
    },

    /** Adds count changes to the journal, in the transaction that changes the memberships. */
    async change(tx: Transaction, accountId: AccountId, changes: readonly Growth[], at: Date) {
      await countChanges.add(tx, accountId, changes, at);
      tx.afterCommit(() => {
        dirty = true;
      });
    },

    /** Folds the whole journal. */
    async flush() {
      while (await fold());
    },

    recountDue,
    tally,

    /** Records that every contact was evaluated, even if no membership changed. */
    async evaluated(tx: Transaction, accountId: AccountId, id: SegmentId, at: Date) {
      await counts.updateOne({ _id: id, account_id: accountId }, { $max: { changed_at: at } }, { session: tx.session });
    },

    /** When the membership of any of these segments last changed; undefined if it never did. */
    async lastChange(accountId: AccountId, ids: readonly SegmentId[]): Promise<Date | undefined> {
      // The journal is read first, so that a change folded in between is found in the counts.
      const journaled = totals(await countChanges.of(accountId)).filter(({ segmentId }) => ids.includes(segmentId));
      const rows = await counts.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray();
      const times = [...journaled.map(({ at }) => at), ...rows.flatMap(({ changed_at }) => changed_at ?? [])];
      return times.toSorted((a, b) => b.getTime() - a.getTime())[0];
    },

    async remove(tx: Transaction, accountId: AccountId, id: SegmentId) {
      await growth.remove(tx, accountId, id);
      await counts.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    /** The segments as the API shows them. */
    async views(accountId: AccountId, segments: readonly StoredSegment[]): Promise<Segment[]> {
      const ids = segments.map(({ id }) => id);
      const found = await counts.find({ account_id: accountId, _id: { $in: ids } }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return segments.map((segment) => viewOf(segment, byId.get(segment.id)));
    },

    async view(accountId: AccountId, segment: StoredSegment): Promise<Segment> {
      return viewOf(segment, (await counts.findOne({ _id: segment.id, account_id: accountId })) ?? undefined);
    },

    start() {
      folding.start();
      recounting.start();
    },
    async stop() {
      await Promise.all([folding.stop(), recounting.stop()]);
    },
  };
}

type AccountGrowth = Growth & { accountId: AccountId };

/** The growth in the journal, one row for each segment and quarter of an hour. */
const growthIn = (journal: readonly CountChange[]): AccountGrowth[] =>
  summed(journal.flatMap(({ accountId, changes }) => changes.flatMap(({ growth }) => (growth ? [{ ...growth, accountId }] : []))));

function summed(growth: readonly AccountGrowth[]): AccountGrowth[] {
  const byQuarter = new Map<string, AccountGrowth>();
  for (const one of growth) {
    const key = `${one.segmentId} ${one.quarter.getTime()}`;
    const before = byQuarter.get(key);
    byQuarter.set(key, before ? { ...before, entered: before.entered + one.entered, left: before.left + one.left } : one);
  }
  return [...byQuarter.values()];
}

type Total = { accountId: AccountId; segmentId: SegmentId; by: number; at: Date };

/** The total change of each segment. */
function totals(journal: readonly CountChange[]): Total[] {
  const bySegment = new Map<SegmentId, Total>();
  for (const { accountId, changes, at } of journal) {
    for (const { segmentId, by } of changes) {
      const total = bySegment.get(segmentId) ?? { accountId, segmentId, by: 0, at };
      bySegment.set(segmentId, { ...total, by: total.by + by, at: at > total.at ? at : total.at });
    }
  }
  return [...bySegment.values()];
}

/** A segment as returned by the API: its fields and counts, without internal fields. */
export function viewOf(
  { definition_at, building_from, builds, ...segment }: StoredSegment,
  stored: { count: number; changed_at: Date | null } | undefined,
): Segment {
  return { ...segment, count: Math.max(0, stored?.count ?? 0), evaluated_at: stored?.changed_at?.toISOString() ?? null };
}
