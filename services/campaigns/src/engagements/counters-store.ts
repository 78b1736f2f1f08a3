import type { AccountId } from '@mp/ids';
import { type Mongo, prepareCollection } from '@mp/service-kit/mongo';
import { recipientsOf } from '../recipients/recipients-store.ts';
import { type BreakdownName, breakdownChanges, type PartCount } from './parts.ts';
import { addCounters, type Counters, difference, noCounters, tallyOf } from './tally.ts';

type CountersDocument = { _id: string; account_id: AccountId; source_id: string; counters: Counters; counted_at: Date };

export type CountersStore = ReturnType<typeof createCountersStore>;

type BreakdownDocument = Breakdown & { _id: string; account_id: AccountId; source_id: string; by: BreakdownName; order: number };

/** The counts of one link or hour; a count that is missing is 0. */
export type Breakdown = { key: string; counts: Partial<Record<PartCount, number>> };

const atOnce = 200;

/** The maximum number of links or hours in a breakdown: every tracked link, and six weeks. */
const maxParts = 1_000;

/**
 * The counters of a campaign: the sum of its recipients' tallies. Only `count` writes them, in one transaction with the
 * tallies it counted, so they are exact, and reading them does not depend on the size of the campaign.
 */
export function createCountersStore(mongo: Mongo) {
  const counters = mongo.db.collection<CountersDocument>('counters');
  const breakdowns = mongo.db.collection<BreakdownDocument>('breakdowns');
  const recipients = recipientsOf(mongo.db);
  const idOf = (accountId: AccountId, sourceId: string) => `${accountId} ${sourceId}`;

  async function countOf(accountId: AccountId, sourceId: string, ids: readonly string[]) {
    await mongo.transaction({ correlationId: sourceId, causationId: null }, async ({ session }) => {
      const rows = await recipients
        .find(
          { account_id: accountId, _id: { $in: [...ids] }, tally_changed: true },
          { session, projection: { tally: 1, tally_counted: 1, parts: 1, parts_counted: 1 } },
        )
        .toArray();
      if (rows.length === 0) return;
      const change = rows.reduce(
        (sum, { tally, tally_counted }) => addCounters(sum, difference(tallyOf(tally_counted), tallyOf(tally))),
        noCounters,
      );
      await recipients.bulkWrite(
        rows.map(({ _id, tally, parts }) => ({
          updateOne: {
            filter: { _id, account_id: accountId },
            update: {
              $set: { tally_counted: tallyOf(tally), ...(parts && { parts_counted: parts }) },
              $unset: { tally_changed: '' as const },
            },
          },
        })),
        { session, ordered: false },
      );
      await counters.updateOne(
        { _id: idOf(accountId, sourceId), account_id: accountId, source_id: sourceId },
        {
          $inc: Object.fromEntries(Object.entries(change).map(([name, by]) => [`counters.${name}`, by])),
          $set: { counted_at: new Date() },
        },
        { upsert: true, session },
      );
      const changes = breakdownChanges(rows.map(({ parts = {}, parts_counted = {} }) => ({ before: parts_counted, after: parts })));
      if (changes.length === 0) return;
      await breakdowns.bulkWrite(
        changes.map(({ by, key, counts }) => ({
          updateOne: {
            filter: { _id: `${idOf(accountId, sourceId)} ${by} ${key}`, account_id: accountId, source_id: sourceId, by, key },
            update: {
              $inc: Object.fromEntries([...counts].map(([name, change]) => [`counts.${name}`, change])),
              $setOnInsert: { order: by === 'link' ? Number(key) : 0 },
            },
            upsert: true,
          },
        })),
        { session, ordered: false },
      );
    });
  }

  return {
    async prepare() {
      await prepareCollection(counters, [{ key: { account_id: 1, source_id: 1 } }], mongo.db);
      await prepareCollection(breakdowns, [{ key: { account_id: 1, source_id: 1, by: 1, order: 1, key: 1 } }], mongo.db);
    },

    /** The counts by link, or those of the latest hours, in order. */
    async breakdown(accountId: AccountId, sourceId: string, by: BreakdownName): Promise<Breakdown[]> {
      const rows = await breakdowns
        .find({ account_id: accountId, source_id: sourceId, by })
        .sort(by === 'link' ? { order: 1, key: 1 } : { order: -1, key: -1 })
        .limit(maxParts)
        .toArray();
      const ordered = by === 'link' ? rows : rows.reverse();
      return ordered.map(({ key, counts }) => ({ key, counts }));
    },

    /** Adds the changed tallies of up to 200 recipients to the counters. Returns the number of recipients. */
    async count(): Promise<number> {
      const changed = await recipients
        .find({ tally_changed: true }, { projection: { account_id: 1, source_id: 1 } })
        .limit(atOnce)
        .toArray();
      for (const rows of Map.groupBy(changed, ({ account_id, source_id }) => idOf(account_id, source_id)).values()) {
        const [first] = rows;
        if (first) {
          await countOf(
            first.account_id,
            first.source_id,
            rows.map(({ _id }) => _id),
          );
        }
      }
      return changed.length;
    },

    /** The counters and the time as of which they are complete. */
    async of(accountId: AccountId, sourceId: string): Promise<{ counters: Counters; asOf: Date }> {
      const now = new Date();
      const [known, uncounted] = await Promise.all([
        counters.findOne({ _id: idOf(accountId, sourceId), account_id: accountId }),
        recipients.findOne({ tally_changed: true, account_id: accountId, source_id: sourceId }, { projection: { _id: 1 } }),
      ]);
      return { counters: { ...noCounters, ...known?.counters }, asOf: uncounted ? (known?.counted_at ?? new Date(0)) : now };
    },
  };
}
