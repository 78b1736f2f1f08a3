import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { dayMs, floorTo } from '../time/quarters.ts';
import type { Cell, Counters, Dimension, Grain } from './rollup.ts';

/** The ID holds the whole key, so that writes need no other index. */
type RollupDocument = Omit<Cell, 'counters'> & Counters & { _id: string; account_id: AccountId };

export type RollupsStore = ReturnType<typeof createRollupsStore>;

export type Range = { from: Date; to: Date };

/** Owns the `rollups` collection. */
export function createRollupsStore(db: Db) {
  const rollups = db.collection<RollupDocument>('rollups');

  return {
    prepare: () => prepareCollection(rollups, [{ name: 'read', key: { account_id: 1, dimension: 1, grain: 1, at: 1, value: 1 } }], db),

    async add(tx: Transaction, accountId: AccountId, cells: readonly Cell[]) {
      if (cells.length === 0) return;
      const operations = cells.map(({ grain, dimension, value, at, bot, counters: { values, ...counts } }) => {
        const changes = Object.entries(counts).filter(([, count]) => count !== 0);
        const sums = Object.entries(values).flatMap(([currency, units]) => (units === 0 ? [] : [[`values.${currency}`, units] as const]));
        return {
          updateOne: {
            filter: { _id: [accountId, grain, dimension, bot ? 'bot' : 'human', at.getTime(), value].join(' ') },
            update: {
              $inc: Object.fromEntries([...changes, ...sums]),
              $setOnInsert: { account_id: accountId, grain, dimension, value, at, bot },
            },
            upsert: true,
          },
        };
      });
      await rollups.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /** Sums by value, the `limit` largest by `order`. Reads whole UTC days as days, and the edges of the range by quarters of an hour. */
    async byValue(
      accountId: AccountId,
      {
        dimension,
        range: { from, to },
        bots,
        order,
        limit,
      }: { dimension: Dimension; range: Range; bots: boolean; order: keyof Omit<Counters, 'values'>; limit: number },
    ) {
      const inRange = { account_id: accountId, dimension, ...(bots ? {} : { bot: false }), $or: parts({ from, to }) };
      const rows = await rollups
        .aggregate<{ _id: string } & Omit<Counters, 'values'>>(
          [
            { $match: inRange },
            { $group: { _id: '$value', ...Object.fromEntries(counted.map((name) => [name, { $sum: `$${name}` }])) } },
            { $sort: { [order]: -1, _id: 1 } },
            { $limit: limit },
          ],
          // Many distinct pages can exceed the memory in which MongoDB groups.
          { allowDiskUse: true },
        )
        .toArray();
      const sums = await rollups
        .aggregate<{ _id: { value: string; currency: string }; units: number }>([
          { $match: { ...inRange, value: { $in: rows.map(({ _id }) => _id) }, values: { $exists: true } } },
          { $project: { value: 1, values: { $objectToArray: '$values' } } },
          { $unwind: '$values' },
          { $group: { _id: { value: '$value', currency: '$values.k' }, units: { $sum: '$values.v' } } },
          { $sort: { '_id.currency': 1 } },
        ])
        .toArray();
      const sumsOf = Map.groupBy(sums, ({ _id }) => _id.value);
      return rows.map(({ _id, ...counts }) => ({
        value: _id,
        counters: { ...counts, values: Object.fromEntries((sumsOf.get(_id) ?? []).map((sum) => [sum._id.currency, sum.units])) },
      }));
    },

    /** The counters of one value for every quarter of an hour or UTC day in the range. */
    async series(
      accountId: AccountId,
      {
        dimension,
        value,
        range: { from, to },
        grain,
        bots,
      }: { dimension: Dimension; value: string; range: Range; grain: Grain; bots: boolean },
    ) {
      const rows = await rollups
        .find({ account_id: accountId, dimension, grain, at: { $gte: from, $lt: to }, value, ...(bots ? {} : { bot: false }) })
        .toArray();
      return rows.map((row) => ({ at: row.at, counters: countersOf(row) }));
    },
  };
}

const counted = ['events', 'pageviews', 'sessions', 'bounces', 'duration_ms'] as const;

/** Counters that are still zero are missing from the row. */
const countersOf = (row: Partial<Counters>): Counters => ({
  events: row.events ?? 0,
  pageviews: row.pageviews ?? 0,
  sessions: row.sessions ?? 0,
  bounces: row.bounces ?? 0,
  duration_ms: row.duration_ms ?? 0,
  values: row.values ?? {},
});

/** Splits the range into whole UTC days and the quarters of an hour around them. */
function parts({ from, to }: Range) {
  const firstDay = new Date(Math.ceil(from.getTime() / dayMs) * dayMs);
  const lastDay = floorTo(to, dayMs);
  if (firstDay >= lastDay) return [{ grain: 'quarter', at: { $gte: from, $lt: to } }];
  return [
    { grain: 'quarter', at: { $gte: from, $lt: firstDay } },
    { grain: 'day', at: { $gte: firstDay, $lt: lastDay } },
    { grain: 'quarter', at: { $gte: lastDay, $lt: to } },
  ];
}
