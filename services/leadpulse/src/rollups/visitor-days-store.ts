import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { dayMs, floorTo, quarterMs } from './rollup.ts';
import type { Range } from './rollups-store.ts';

/** One visitor on one UTC day: in which quarters of an hour it was there, so that days of every time zone can be cut from it. */
type VisitorDayDocument = { _id: string; account_id: string; visitor: string; bot: boolean; day: Date; quarters: number[] };

export type VisitorDaysStore = ReturnType<typeof createVisitorDaysStore>;

export type Presence = { visitor: string; bot: boolean; at: Date };

/** The only place that knows the `visitor_days` collection: exact counts of distinct visitors. */
export function createVisitorDaysStore(db: Db) {
  const days = db.collection<VisitorDayDocument>('visitor_days');

  return {
    prepare: () => prepareCollection(days, [{ name: 'day', key: { account_id: 1, day: 1, bot: 1, visitor: 1 } }], db),

    async add(tx: Transaction, accountId: string, presences: readonly Presence[]) {
      const rows = Map.groupBy(presences, ({ visitor, bot, at }) =>
        [accountId, visitor, bot ? 'bot' : 'human', floorTo(at, dayMs).getTime()].join(' '),
      );
      const operations = [...rows].flatMap(([_id, [first, ...more]]) => {
        if (!first) return [];
        const quarters = new Set([first, ...more].map(({ at }) => Math.floor((at.getTime() % dayMs) / quarterMs)));
        return [
          {
            updateOne: {
              filter: { _id },
              update: {
                $addToSet: { quarters: { $each: [...quarters] } },
                $setOnInsert: { account_id: accountId, visitor: first.visitor, bot: first.bot, day: floorTo(first.at, dayMs) },
              },
              upsert: true,
            },
          },
        ];
      });
      if (operations.length > 0) await days.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /** Distinct visitors in the whole range. */
    async count(accountId: string, { from, to }: Range, bots: boolean): Promise<number> {
      const [row] = await days
        .aggregate<{ visitors: number }>([...inRange(accountId, from, to, bots), { $group: { _id: '$visitor' } }, { $count: 'visitors' }])
        .toArray();
      return row?.visitors ?? 0;
    },

    /** Distinct visitors by bucket; `buckets` has the number of the bucket of every quarter of an hour of the range. */
    async countBy(accountId: string, { from, to }: Range, buckets: readonly number[], bots: boolean): Promise<Map<number, number>> {
      const start = floorTo(from, dayMs);
      const offset = (from.getTime() - start.getTime()) / quarterMs;
      const quarter = { $add: [{ $divide: [{ $subtract: ['$day', start] }, quarterMs] }, '$quarters', -offset] };
      const rows = await days
        .aggregate<{ _id: number; visitors: number }>([
          ...inRange(accountId, from, to, bots),
          { $group: { _id: { bucket: { $arrayElemAt: [{ $literal: buckets }, { $toInt: quarter }] }, visitor: '$visitor' } } },
          { $group: { _id: '$_id.bucket', visitors: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(rows.map(({ _id, visitors }) => [_id, visitors]));
    },
  };
}

/** One document for each quarter of an hour in the range in which a visitor was there. */
function inRange(accountId: string, from: Date, to: Date, bots: boolean) {
  const at = { $add: ['$day', { $multiply: ['$quarters', quarterMs] }] };
  return [
    {
      $match: { account_id: accountId, day: { $gte: floorTo(from, dayMs), $lt: to }, ...(bots ? {} : { bot: false }) },
    },
    { $project: { visitor: 1, day: 1, quarters: 1 } },
    { $unwind: '$quarters' },
    { $match: { $expr: { $and: [{ $gte: [at, from] }, { $lt: [at, to] }] } } },
  ];
}
