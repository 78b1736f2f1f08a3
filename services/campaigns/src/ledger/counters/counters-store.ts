import type { AccountId, CampaignId, RecipientId, TemplateId } from '@mp/ids';
import { type Mongo, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { createNamedLeases } from '@mp/service-kit/named-leases';
import { type BreakdownName, linkOfKey } from '../engagements/breakdowns.ts';
import { recipientsOf } from '../recipients/recipient-row.ts';
import { addCounts, type Counts, type CountsByPart, changeOf, wholeCampaign } from './contribution.ts';
import { changedOf, countableOf, countedFields, countedOf } from './countable.ts';

type CountersDocument = { _id: string; account_id: AccountId; source_id: string; counters: Record<string, number>; counted_at: Date };

export type CountersStore = ReturnType<typeof createCountersStore>;

type BreakdownDocument = {
  _id: string;
  account_id: AccountId;
  source_id: string;
  by: string;
  key: string;
  order: number;
  counts: Record<string, number>;
};

/** What the counters are kept by: the breakdowns of a report, and what only the service reads. */
export type PartName = BreakdownName | 'group' | 'step' | 'step_variant' | 'template';

/** The counts of one part. */
export type Breakdown = { key: string; counts: Counts };

/** The most rows that one call of `count` counts. */
export const countedAtOnce = 500;

/** How long a process counts alone; two would only wait for each other. */
const leaseMs = 2_000;

/** The maximum number of parts in a breakdown: every tracked link, six weeks of hours, or the largest domains. */
const maxParts = 1_000;

/** A report includes rows that are not counted yet, up to this number. */
const maxUncounted = 1_000;

/** Links in their order, the latest hours, and of everything else what has the most recipients. */
const orderOf = (by: string, key: string) => (by === 'link' ? linkOfKey(key).link : 0);
const isAscending = (by: string) => by === 'link';

/**
 * The counters of a campaign: the sum of what its rows contribute. Only `count` and `uncount` write them, in one transaction
 * with the rows they count, so they are exact, and reading them does not depend on the size of the campaign.
 */
export function createCountersStore(mongo: Mongo) {
  const counters = mongo.db.collection<CountersDocument>('counters');
  const breakdowns = mongo.db.collection<BreakdownDocument>('breakdowns');
  const recipients = recipientsOf(mongo.db);
  const leases = createNamedLeases(mongo.db, 'counting');
  const idOf = (accountId: AccountId, sourceId: string) => `${accountId} ${sourceId}`;

  async function add(tx: Transaction, accountId: AccountId, sourceId: string, change: CountsByPart) {
    const { session } = tx;
    const { [wholeCampaign]: whole = {}, ...parts } = Object.fromEntries(change);
    await counters.updateOne(
      { _id: idOf(accountId, sourceId), account_id: accountId, source_id: sourceId },
      { ...incremented('counters', whole), $set: { counted_at: new Date() } },
      { upsert: true, session },
    );
    const changes = Object.entries(parts);
    if (changes.length === 0) return;
    await breakdowns.bulkWrite(
      changes.map(([part, counts]) => {
        const [by = '', key = ''] = part.split(' ');
        const { recipients: added = 0 } = counts;
        const { $inc = {} } = incremented('counts', counts);
        return {
          updateOne: {
            filter: { _id: `${idOf(accountId, sourceId)} ${part}`, account_id: accountId, source_id: sourceId, by, key },
            update: {
              $inc: { ...$inc, ...(added !== 0 && { order: added }) },
              ...(added === 0 && { $setOnInsert: { order: orderOf(by, key) } }),
            },
            upsert: true,
          },
        };
      }),
      { session, ordered: false },
    );
  }

  /** Rows that the counters do not include as they are; none if there are too many. */
  async function uncounted({ session }: Transaction, own: { account_id: AccountId; source_id?: string }) {
    const rows = await recipients
      .find({ tally_changed: true, ...own }, { session, projection: { ...countedFields, source_id: 1 } })
      .limit(maxUncounted + 1)
      .toArray();
    const isComplete = rows.length <= maxUncounted;
    return { rows: isComplete ? rows : [], isComplete };
  }

  async function countOf(accountId: AccountId, sourceId: string, ids: readonly RecipientId[]) {
    await mongo.transaction({ correlationId: sourceId, causationId: null }, async (tx) => {
      const { session } = tx;
      const rows = await recipients
        .find({ account_id: accountId, _id: { $in: [...ids] }, tally_changed: true }, { session, projection: countedFields })
        .toArray();
      if (rows.length === 0) return;
      await recipients.bulkWrite(
        rows.map((row) => ({
          updateOne: {
            filter: { _id: row._id, account_id: accountId },
            update: { $set: { counted: countableOf(row) }, $unset: { tally_changed: '', tally_counted: '', parts_counted: '' } },
          },
        })),
        { session, ordered: false },
      );
      await add(tx, accountId, sourceId, changeOf(rows.map(changedOf)));
    });
  }

  return {
    async prepare() {
      await leases.prepare();
      await prepareCollection(counters, [{ key: { account_id: 1, source_id: 1 } }], mongo.db);
      await prepareCollection(
        breakdowns,
        [
          { key: { account_id: 1, source_id: 1, by: 1, order: 1, key: 1 } },
          { key: { account_id: 1, key: 1 }, name: 'templates', partialFilterExpression: { by: 'template' } },
        ],
        mongo.db,
      );
    },

    /** Adds the changes of up to 500 recipients to the counters. Returns the number of recipients. */
    async count(): Promise<number> {
      const changed = await recipients
        .find({ tally_changed: true }, { projection: { account_id: 1, source_id: 1 } })
        .limit(countedAtOnce)
        .toArray();
      if (changed.length === 0 || !(await leases.take('lease', leaseMs))) return 0;
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

    /** Subtracts rows that are about to be removed. */
    async uncount(tx: Transaction, accountId: AccountId, sourceId: string, ids: readonly RecipientId[]) {
      const rows = await recipients
        .find(
          { account_id: accountId, _id: { $in: [...ids] }, counted: { $exists: true } },
          { session: tx.session, projection: countedFields },
        )
        .toArray();
      if (rows.length > 0) await add(tx, accountId, sourceId, changeOf(rows.map((row) => ({ before: countedOf(row), after: undefined }))));
    },

    /** The counters of several campaigns, without rows that are not counted yet. A campaign without any is omitted. */
    async sumsOf(accountId: AccountId, sourceIds: readonly string[]): Promise<Map<string, Counts>> {
      const known = await counters
        .find({ account_id: accountId, source_id: { $in: [...sourceIds] } })
        .project<{ source_id: string; counters?: Record<string, number> }>({ source_id: 1, counters: 1 })
        .toArray();
      return new Map(known.map(({ source_id, counters: counts }) => [source_id, counts ?? {}]));
    },

    /**
     * The counters of a campaign, one breakdown of them, and the time as of which they are complete. Rows that are not
     * counted yet are included, unless there are too many (`isComplete` is false).
     */
    async read(
      tx: Transaction,
      accountId: AccountId,
      sourceId: string,
      by?: PartName,
    ): Promise<{ counts: Counts; breakdown: Breakdown[]; asOf: Date; isComplete: boolean }> {
      const { session } = tx;
      const now = new Date();
      const own = { account_id: accountId, source_id: sourceId };
      const known = await counters.findOne({ _id: idOf(accountId, sourceId), account_id: accountId }, { session });
      const parts = by
        ? await breakdowns
            .find({ ...own, by }, { session })
            .sort(isAscending(by) ? { order: 1, key: 1 } : { order: -1, key: -1 })
            .limit(maxParts)
            .toArray()
        : [];
      const { rows, isComplete } = await uncounted(tx, own);
      const change = changeOf(rows.map(changedOf));
      const byKey = new Map(parts.map(({ key, counts }) => [key, addCounts(counts, {})]));
      for (const [part, counts] of change) {
        const [name, key = ''] = part.split(' ');
        if (name === by) byKey.set(key, addCounts(byKey.get(key) ?? {}, counts));
      }
      return {
        counts: addCounts(known?.counters ?? {}, change.get(wholeCampaign) ?? {}),
        breakdown: by ? ordered(by, byKey) : [],
        asOf: isComplete ? now : (known?.counted_at ?? new Date(0)),
        isComplete,
      };
    },

    /** The sum of these campaigns, which use the template, and of the emails of workflows and messages that do. */
    async readTemplate(tx: Transaction, accountId: AccountId, templateId: TemplateId, campaignIds: readonly CampaignId[]) {
      const { session } = tx;
      const now = new Date();
      const own = { account_id: accountId };
      const parts = await breakdowns.find({ ...own, by: 'template', key: templateId }, { session, hint: 'templates' }).toArray();
      const sources = [...campaignIds, ...parts.map(({ source_id }) => source_id)];
      const known = await counters.find({ ...own, source_id: { $in: sources } }, { session }).toArray();
      const { rows, isComplete } = await uncounted(tx, own);
      const isOfCampaign = new Set<string>(campaignIds);
      const [ofCampaigns, others] = [true, false].map((wanted) =>
        changeOf(rows.filter(({ source_id }) => isOfCampaign.has(source_id) === wanted).map(changedOf)),
      );
      const counted = [
        ...known.flatMap(({ source_id, counters: counts }) => (isOfCampaign.has(source_id) ? [counts] : [])),
        ...parts.map(({ counts }) => counts),
        ofCampaigns?.get(wholeCampaign) ?? {},
        others?.get(`template ${templateId}`) ?? {},
      ];
      return {
        counts: counted.reduce<Counts>((sum, counts) => addCounts(sum, counts), {}),
        asOf: isComplete ? now : new Date(known.length === 0 ? 0 : Math.min(...known.map(({ counted_at }) => counted_at.getTime()))),
      };
    },
  };
}

/** In the order of the report. Parts without any count are omitted. */
function ordered(by: string, byKey: ReadonlyMap<string, Counts>): Breakdown[] {
  const items = [...byKey].flatMap(([key, counts]) => (Object.keys(counts).length === 0 ? [] : [{ key, counts }]));
  const size = ({ key, counts }: Breakdown) => (by === 'link' ? -linkOfKey(key).link : (counts.recipients ?? 0));
  const byName = (a: Breakdown, b: Breakdown) => (a.key < b.key ? -1 : 1);
  if (by === 'hour' || by === 'variant' || by === 'device') return items.sort(byName);
  return items.sort((a, b) => size(b) - size(a) || byName(a, b));
}

const incremented = (field: string, counts: Counts): { $inc?: Record<string, number> } => {
  const changes = Object.entries(counts).map(([name, by]) => [`${field}.${name}`, by]);
  return changes.length === 0 ? {} : { $inc: Object.fromEntries(changes) };
};
