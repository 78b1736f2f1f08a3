import type { AccountId, VisitorId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type Db, type Filter, MongoServerError } from 'mongodb';
import { dayMs, floorTo, quarterMs } from '../time/quarters.ts';
import type { Range } from './rollups-store.ts';
import { levelOf, levelsFrom } from './sample.ts';
import { createWindowCounts, daysAround, quartersADay, type WindowLength } from './window-counts.ts';

/**
 * One visitor on one UTC day: the quarters of an hour in which it was seen, and its sample level. An earlier version neither
 * stored the level nor counted the day in `daily_visitors`.
 */
type VisitorDayDocument = {
  _id: string;
  account_id: AccountId;
  visitor: VisitorId;
  bot: boolean;
  sample?: number;
  day: Date;
  quarters: number[];
};

/** The number of visitors in each span that starts on a UTC day, as steps from one quarter of an hour to the next. */
type DailyVisitorsDocument = {
  _id: string;
  account_id: AccountId;
  bots: boolean;
  day: Date;
  steps: Partial<Record<WindowLength, Record<string, number>>>;
};

export type VisitorDaysStore = ReturnType<typeof createVisitorDaysStore>;

/** `known`: the visitor has been counted before. */
export type Presence = { visitor: VisitorId; known: boolean; bot: boolean; at: Date };

const quarterOf = (at: Date) => Math.floor(at.getTime() / quarterMs);
const dayOf = (quarter: number) => Math.floor(quarter / quartersADay);
const dateOf = (day: number) => new Date(day * dayMs);

/** Owns `visitor_days`, which says when each visitor was seen, and `daily_visitors`, the counts derived from it. */
export function createVisitorDaysStore(db: Db) {
  const days = db.collection<VisitorDayDocument>('visitor_days');
  const counts = db.collection<DailyVisitorsDocument>('daily_visitors');
  const idOf = (accountId: AccountId, visitor: VisitorId, bot: boolean, day: number) =>
    [accountId, visitor, bot ? 'bot' : 'human', day * dayMs].join(' ');

  /** The counted days of these visitors around the times at which they are seen now, by visitor. */
  async function knownAround(tx: Transaction, accountId: AccountId, presences: readonly Presence[]) {
    const ids = new Set(
      presences
        .filter(({ known }) => known)
        .flatMap(({ visitor, at }) =>
          daysAround(quarterOf(at)).flatMap((day) => [false, true].map((bot) => idOf(accountId, visitor, bot, day))),
        ),
    );
    const rows =
      ids.size === 0
        ? []
        : await days
            .find(
              { _id: { $in: [...ids] }, sample: { $exists: true } },
              { session: tx.session, projection: { visitor: 1, bot: 1, day: 1, quarters: 1 } },
            )
            .batchSize(ids.size + 1)
            .toArray();
    return Map.groupBy(rows, ({ visitor }) => visitor);
  }

  async function addRows(tx: Transaction, accountId: AccountId, presences: readonly Presence[]) {
    const rows = Map.groupBy(presences, ({ visitor, bot, at }) => idOf(accountId, visitor, bot, dayOf(quarterOf(at))));
    const operations = [...rows].flatMap(([_id, [first, ...more]]) => {
      if (!first) return [];
      const quarters = new Set([first, ...more].map(({ at }) => quarterOf(at) % quartersADay));
      const { visitor, bot, at } = first;
      return [
        {
          updateOne: {
            filter: { _id },
            update: {
              $addToSet: { quarters: { $each: [...quarters] } },
              $set: { sample: levelOf(visitor) },
              $setOnInsert: { account_id: accountId, visitor, bot, day: floorTo(at, dayMs) },
            },
            upsert: true,
          },
        },
      ];
    });
    if (operations.length > 0) await days.bulkWrite(operations, { session: tx.session, ordered: false });
  }

  async function addCounts(tx: Transaction, accountId: AccountId, presences: readonly Presence[]) {
    const known = await knownAround(tx, accountId, presences);
    const seen = Map.groupBy(presences, ({ visitor }) => visitor);
    const operations = [false, true].flatMap((bots) => {
      const counted = createWindowCounts();
      for (const [visitor, own] of seen) {
        const before = (known.get(visitor) ?? []).filter(({ bot }) => bots || !bot);
        counted.seen(
          before.flatMap(({ day, quarters }) => quarters.map((quarter) => quarterOf(day) + quarter)),
          own.filter(({ bot }) => bots || !bot).map(({ at }) => quarterOf(at)),
        );
      }
      return [...Map.groupBy(counted.steps(), ({ day }) => day)].map(([day, steps]) => ({
        updateOne: {
          filter: { _id: [accountId, bots ? 'all' : 'humans', day * dayMs].join(' ') },
          update: {
            $inc: Object.fromEntries(steps.map(({ span, quarter, by }) => [`steps.${span}.${quarter}`, by])),
            $setOnInsert: { account_id: accountId, bots, day: dateOf(day) },
          },
          upsert: true,
        },
      }));
    });
    if (operations.length > 0) await counts.bulkWrite(operations, { session: tx.session, ordered: false });
  }

  return {
    prepare: async () => {
      await prepareCollection(days, [{ name: 'sampled', key: { account_id: 1, bot: 1, sample: 1, day: 1, visitor: 1 } }], db);
      await prepareCollection(counts, [{ name: 'read', key: { account_id: 1, bots: 1, day: 1 } }], db);
    },

    /** Yields, in batches of one account, the days that an earlier version stored. Its index is the sign that there are any. */
    async *earlier(): AsyncGenerator<{ accountId: AccountId; presences: Presence[] }> {
      const sign = 'day';
      if (!(await days.indexExists(sign))) return;
      let batch: VisitorDayDocument[] = [];
      for await (const row of days.find({ sample: { $exists: false } }).sort({ _id: 1 })) {
        const full = batch.length >= batchSize && batch.at(-1)?.visitor !== row.visitor;
        if (batch[0] && (full || batch[0].account_id !== row.account_id)) {
          yield presencesOf(batch[0].account_id, batch);
          batch = [];
        }
        batch.push(row);
      }
      if (batch[0]) yield presencesOf(batch[0].account_id, batch);
      await days.dropIndex(sign).catch((error: unknown) => {
        const droppedMeanwhile = error instanceof MongoServerError && error.code === 27;
        if (!droppedMeanwhile) throw error;
      });
    },

    /** Two transactions that count the same visitor also write the visitor itself, so one of them is retried. */
    async add(tx: Transaction, accountId: AccountId, presences: readonly Presence[]) {
      await addCounts(tx, accountId, presences);
      await addRows(tx, accountId, presences);
    },

    /** Returns a function that gives the number of visitors in the span with a given start and length, for starts within the range. */
    async spansIn(accountId: AccountId, { from, to }: Range, bots: boolean, wanted: readonly WindowLength[]) {
      const projection = { day: 1, ...Object.fromEntries(wanted.map((span) => [`steps.${span}`, 1])) };
      const rows = await counts
        .find({ account_id: accountId, bots, day: { $gte: floorTo(from, dayMs), $lt: to } }, { projection })
        .toArray();
      const sums = new Map<string, number[]>();
      for (const { day, steps } of rows) {
        for (const span of wanted) {
          const counted: number[] = [];
          for (let quarter = 0; quarter < quartersADay; quarter += 1) counted.push((counted.at(-1) ?? 0) + (steps?.[span]?.[quarter] ?? 0));
          sums.set(`${span} ${dayOf(quarterOf(day))}`, counted);
        }
      }
      return (start: Date, span: WindowLength) => sums.get(`${span} ${dayOf(quarterOf(start))}`)?.[quarterOf(start) % quartersADay] ?? 0;
    },

    /** Counts the distinct visitors at or above a level in the range. */
    async count(accountId: AccountId, range: Range, bots: boolean, level: number): Promise<number> {
      const among = { account_id: accountId, bot: bots ? { $in: [false, true] } : false, sample: { $in: levelsFrom(level) } };
      const [row] = await days
        .aggregate<{ visitors: number }>([
          { $match: { $or: partsOf(range).map((part) => ({ ...among, ...part })) } },
          { $group: { _id: '$visitor' } },
          { $count: 'visitors' },
        ])
        .toArray();
      return row?.visitors ?? 0;
    },
  };
}

const batchSize = 200;

const presencesOf = (accountId: AccountId, rows: readonly VisitorDayDocument[]) => ({
  accountId,
  presences: rows.flatMap(({ visitor, bot, day, quarters }) =>
    quarters.map((quarter) => ({ visitor, known: true, bot, at: new Date(day.getTime() + quarter * quarterMs) })),
  ),
});

/** Splits the range into whole UTC days and the partial days at its edges. */
function partsOf({ from, to }: Range): Filter<VisitorDayDocument>[] {
  const [first, last] = [floorTo(from, dayMs), floorTo(to, dayMs)];
  const within = (day: Date, start: number, end: number) => ({ day, quarters: { $elemMatch: { $gte: start, $lt: end } } });
  const [start, end] = [quarterOf(from) % quartersADay, quarterOf(to) % quartersADay];
  if (first.getTime() === last.getTime()) return [within(first, start, end)];
  const whole = new Date(start === 0 ? first : first.getTime() + dayMs);
  return [
    ...(start === 0 ? [] : [within(first, start, quartersADay)]),
    ...(whole < last ? [{ day: { $gte: whole, $lt: last } }] : []),
    ...(end === 0 ? [] : [within(last, 0, end)]),
  ];
}
