import { type Mongo, prepareCollection } from '@mp/service-kit/mongo';
import { recipientsOf } from '../recipients/recipients-store.ts';
import { addCounters, type Counters, difference, noCounters, tallyOf } from './tally.ts';

type CountersDocument = { _id: string; account_id: string; source_id: string; counters: Counters; counted_at: Date };

export type CountersStore = ReturnType<typeof createCountersStore>;

const atOnce = 200;

/**
 * The counters of a campaign: the sum of its recipients' tallies. Only `count` writes them, in one transaction with the
 * tallies it counted, so they are exact, and reading them does not depend on the size of the campaign.
 */
export function createCountersStore(mongo: Mongo) {
  const counters = mongo.db.collection<CountersDocument>('counters');
  const recipients = recipientsOf(mongo.db);
  const idOf = (accountId: string, sourceId: string) => `${accountId} ${sourceId}`;

  async function countOf(accountId: string, sourceId: string, ids: readonly string[]) {
    await mongo.transaction({ correlationId: sourceId, causationId: null }, async ({ session }) => {
      const rows = await recipients
        .find(
          { account_id: accountId, _id: { $in: [...ids] }, tally_changed: true },
          { session, projection: { tally: 1, tally_counted: 1 } },
        )
        .toArray();
      if (rows.length === 0) return;
      const change = rows.reduce(
        (sum, { tally, tally_counted }) => addCounters(sum, difference(tallyOf(tally_counted), tallyOf(tally))),
        noCounters,
      );
      await recipients.bulkWrite(
        rows.map(({ _id, tally }) => ({
          updateOne: {
            filter: { _id, account_id: accountId },
            update: { $set: { tally_counted: tallyOf(tally) }, $unset: { tally_changed: '' as const } },
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
    });
  }

  return {
    prepare: () => prepareCollection(counters, [{ key: { account_id: 1, source_id: 1 } }], mongo.db),

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
    async of(accountId: string, sourceId: string): Promise<{ counters: Counters; asOf: Date }> {
      const now = new Date();
      const [known, uncounted] = await Promise.all([
        counters.findOne({ _id: idOf(accountId, sourceId), account_id: accountId }),
        recipients.findOne({ tally_changed: true, account_id: accountId, source_id: sourceId }, { projection: { _id: 1 } }),
      ]);
      return { counters: { ...noCounters, ...known?.counters }, asOf: uncounted ? (known?.counted_at ?? new Date(0)) : now };
    },
  };
}
