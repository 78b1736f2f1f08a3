import { type AccountId, newId, type VisitorId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db, Filter } from 'mongodb';
import type { Range } from '../rollups/rollups-store.ts';
import { levelOf, levelsFrom } from '../rollups/sample.ts';
import type { Folded, Session, StoredSession } from './session.ts';

/** `started_at` and `ended_at` repeat the times of the first and last event for the indexes; `sample` is the visitor's sample level. */
type SessionDocument = Session & {
  _id: string;
  account_id: AccountId;
  visitor: VisitorId;
  sample: number;
  started_at: Date;
  ended_at: Date;
};

export type SessionsStore = ReturnType<typeof createSessionsStore>;

/** A time span of one visitor, from the first to the last of some events. */
export type Stretch = { visitor: VisitorId; from: Date; to: Date };

/** All sessions of a batch of events come in one reply, up to this many. */
const readAtOnce = 10_000;

/** Owns the `sessions` collection. */
export function createSessionsStore(db: Db) {
  const sessions = db.collection<SessionDocument>('sessions');

  return {
    prepare: () =>
      prepareCollection(
        sessions,
        [
          { name: 'visitor', key: { account_id: 1, visitor: 1, ended_at: 1, started_at: 1 } },
          { name: 'sampled', key: { account_id: 1, sample: 1, started_at: 1 } },
        ],
        db,
      ),

    /** The sessions that events in these time spans could belong to, and possibly some nearby, by stream (see `streamOf`). */
    async around(tx: Transaction, accountId: AccountId, stretches: readonly Stretch[], idleMs: number) {
      const found = new Map<string, StoredSession[]>();
      if (stretches.length === 0) return found;
      const either = spansOf(stretches).map(
        ({ visitors, from, to }): Filter<SessionDocument> => ({
          account_id: accountId,
          visitor: { $in: [...visitors] },
          ended_at: { $gt: new Date(from.getTime() - idleMs) },
          started_at: { $lt: new Date(to.getTime() + idleMs) },
        }),
      );
      // With many spans, MongoDB considers few plans, and without the hint may read every session of the account.
      const rows = await sessions.find({ $or: either }, { session: tx.session }).hint('visitor').batchSize(readAtOnce).toArray();
      for (const [stream, own] of Map.groupBy(rows, streamOf)) found.set(stream, own.map(sessionOf));
      return found;
    },

    /**
     * Writes folded sessions. The oldest part keeps its ID, the others are deleted. Returns the stored sessions. The parts, which `around`
     * has read in the same transaction, are replaced by ID alone (see the events store).
     */
    async write(
      tx: Transaction,
      accountId: AccountId,
      changes: readonly (Folded & { visitor: VisitorId })[],
    ): Promise<(StoredSession & { visitor: VisitorId })[]> {
      const gone = changes.flatMap(({ before }) => before.slice(1).map(({ id }) => id));
      const written = changes.map(({ session, before: [kept], visitor }) => ({ ...session, id: kept?.id ?? newId('session'), visitor }));
      const operations: AnyBulkWriteOperation<SessionDocument>[] = written.map((session, index) => {
        const document = documentOf(accountId, session.visitor, session);
        return changes[index]?.before[0]
          ? { replaceOne: { filter: { _id: session.id }, replacement: document } }
          : { insertOne: { document } };
      });
      if (gone.length > 0) operations.push({ deleteMany: { filter: { _id: { $in: gone }, account_id: accountId } } });
      if (operations.length > 0) await sessions.bulkWrite(operations, { session: tx.session, ordered: false });
      return written;
    },

    async latestOf(accountId: AccountId, visitor: VisitorId, limit: number): Promise<StoredSession[]> {
      const rows = await sessions.find({ account_id: accountId, visitor }).sort({ ended_at: -1, started_at: -1 }).limit(limit).toArray();
      return rows.map(sessionOf);
    },

    /** The sessions of a visitor by pages, those that ended last first. */
    async list(
      accountId: AccountId,
      visitor: VisitorId,
      cursors: Cursors,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ) {
      const { items, pagination } = await findPage({
        collection: sessions,
        filter: { account_id: accountId, visitor },
        order: { field: 'ended_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['sessions', accountId, visitor],
      });
      return { items: items.map(sessionOf), pagination };
    },

    /** All sessions of a visitor, oldest first. */
    async *ofVisitor(accountId: AccountId, visitor: VisitorId): AsyncGenerator<StoredSession> {
      for await (const row of sessions.find({ account_id: accountId, visitor }).sort({ ended_at: 1, started_at: 1 })) yield sessionOf(row);
    },

    async removeOfVisitor(accountId: AccountId, visitor: VisitorId) {
      await sessions.deleteMany({ account_id: accountId, visitor });
    },

    /** Deletes some sessions that ended before this time. Returns whether there may be more. */
    async removeBefore(accountId: AccountId, time: Date, limit: number): Promise<boolean> {
      const old = await sessions
        .find(
          { account_id: accountId, sample: { $in: levelsFrom(0) }, started_at: { $lt: time }, ended_at: { $lt: time } },
          { projection: { _id: 1 } },
        )
        .limit(limit)
        .toArray();
      await sessions.deleteMany({ _id: { $in: old.map(({ _id }) => _id) }, account_id: accountId });
      return old.length === limit;
    },

    /** The sessions of these visitors that overlap a range, by stream (see `streamOf`), oldest first. */
    async ofVisitors(accountId: AccountId, visitors: readonly VisitorId[], { from, to }: Range): Promise<Map<string, StoredSession[]>> {
      const rows = await sessions
        .find({ account_id: accountId, visitor: { $in: [...visitors] }, ended_at: { $gte: from }, started_at: { $lt: to } })
        .sort({ started_at: 1 })
        .hint('visitor')
        .toArray();
      return new Map([...Map.groupBy(rows, streamOf)].map(([stream, own]) => [stream, own.map(sessionOf)]));
    },

    /** Counts the distinct visitors at or above a level by value of a session field (`member`), in sessions that started in the range. */
    async visitorsBy(
      accountId: AccountId,
      {
        member,
        values,
        range: { from, to },
        bots,
        level,
      }: { member: string; values: readonly string[]; range: Range; bots: boolean; level: number },
    ) {
      const rows = await sessions
        .aggregate<{ _id: string; visitors: number }>([
          {
            $match: {
              account_id: accountId,
              sample: { $in: levelsFrom(level) },
              started_at: { $gte: from, $lt: to },
              [member]: { $in: [...values] },
              ...(bots ? {} : { bot: false }),
            },
          },
          { $group: { _id: { value: `$${member}`, visitor: '$visitor' } } },
          { $group: { _id: '$_id.value', visitors: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map(({ _id, visitors }) => [_id, visitors]));
    },
  };
}

/** Time spans this close together are read with one condition, so that a batch of events does not need one per visitor. */
const spanMs = 6 * 60 * 60 * 1_000;

function spansOf(stretches: readonly Stretch[]) {
  const spans: { visitors: Set<VisitorId>; from: Date; to: Date }[] = [];
  for (const { visitor, from, to } of stretches.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const open = spans.at(-1);
    if (open && to.getTime() - open.from.getTime() < spanMs) {
      open.visitors.add(visitor);
      if (to > open.to) open.to = to;
    } else spans.push({ visitors: new Set([visitor]), from, to });
  }
  return spans;
}

/** The events of a visitor and those of bots with its ID are separate streams. */
export const streamOf = ({ visitor, bot }: { visitor: VisitorId; bot: boolean }) => `${visitor} ${bot ? 'bot' : 'human'}`;

const documentOf = (accountId: AccountId, visitor: VisitorId, { id, ...session }: StoredSession): SessionDocument => {
  const { bot, first, last, events, pageviews, actions, values, entry, exit, arrival, touch, device, browser, os, country } = session;
  return {
    _id: id,
    account_id: accountId,
    visitor,
    sample: levelOf(visitor),
    started_at: first.at,
    ended_at: last.at,
    ...{ bot, first, last, events, pageviews, actions, values, entry, exit, arrival, touch, device, browser, os, country },
  };
};

const sessionOf = ({ _id, account_id, visitor, sample, started_at, ended_at, ...session }: SessionDocument): StoredSession => ({
  id: _id,
  ...session,
});
