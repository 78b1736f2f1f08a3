import { randomInt } from 'node:crypto';
import type { AccountId, FormId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { ClientSession, Db, Filter, UpdateFilter } from 'mongodb';

export const countNames = ['views', 'submissions', 'new_contacts', 'awaiting_confirmation', 'confirmations'] as const;
export type CountName = (typeof countNames)[number];
export type FormCounts = Record<CountName, number>;

/** Where it happened: the page that embeds the form, and where the visit came from. */
export type Whereabouts = { page: string | null; source: string | null };

type Dimension = 'all' | 'page' | 'source';

/**
 * A share of a UTC day of a form, of all or of one value. Views have rows of their own, so that they never conflict with submissions.
 */
type CountsDocument = {
  _id: string;
  account_id: AccountId;
  form_id: FormId;
  day: Date;
  dimension: Dimension;
  kind: 'views' | 'done';
  value: string;
} & Partial<FormCounts>;

export type FormCountsStore = ReturnType<typeof createFormCountsStore>;

type Counted = { formId: FormId; at: Date; where: Whereabouts; counts: Partial<FormCounts> };
type CountsQuery = { formId: FormId; from: Date; to: Date };

const dayMs = 24 * 60 * 60_000;
/** As long as LeadPulse can keep events. */
export const formCountsRetentionDays = 800;
/** Strangers name pages and sources, so those of a day are bounded; the rest are counted together. */
const maxValues = 100;
const shares = 32;
export const otherValues = '(other)';

export const dayOf = (at: Date) => new Date(Math.floor(at.getTime() / dayMs) * dayMs);

const noCounts = (): FormCounts => ({ views: 0, submissions: 0, new_contacts: 0, awaiting_confirmation: 0, confirmations: 0 });

/** What happened to each form, by day, page and source. */
export function createFormCountsStore(db: Db) {
  const rows = db.collection<CountsDocument>('form_counts');

  async function addOne(
    accountId: AccountId,
    { formId, at, counts }: Counted,
    [dimension, given]: readonly [Dimension, string],
    share: number,
    tx?: Transaction,
  ) {
    const day = dayOf(at);
    const session = tx && { session: tx.session };
    const kind = counts.views === undefined ? ('done' as const) : ('views' as const);
    const of = { account_id: accountId, form_id: formId, day, dimension, kind };
    const update: UpdateFilter<CountsDocument> = { $inc: counts };
    const idOf = (value: string) => [formId, day.toISOString().slice(0, 10), kind, share, dimension, value].join(' ');
    const { matchedCount } = await rows.updateOne({ _id: idOf(given), account_id: accountId }, update, session);
    if (matchedCount > 0) return;
    const isFull = dimension !== 'all' && (await isOneMore(of, given, session));
    const value = isFull ? otherValues : given;
    const insert: UpdateFilter<CountsDocument> = { $inc: counts, $setOnInsert: { form_id: formId, day, dimension, kind, value } };
    await rows.updateOne({ _id: idOf(value), account_id: accountId }, insert, { upsert: true, ...session });
  }

  /** Whether a value is new to a day that has all the values it can have. */
  async function isOneMore(of: Filter<CountsDocument>, given: string, session?: { session: ClientSession }) {
    const known: string[] = await rows.distinct('value', { ...of, value: { $ne: otherValues } }, { ...session });
    return known.length >= maxValues && !known.includes(given);
  }

  return {
    prepare: () =>
      prepareCollection(
        rows,
        [
          { name: 'of_form', key: { account_id: 1, form_id: 1, dimension: 1, day: 1 } },
          { name: 'expiry', key: { day: 1 }, expireAfterSeconds: (formCountsRetentionDays + 1) * 24 * 60 * 60 },
        ],
        db,
      ),

    /**
     * Counts something; with a transaction, exactly as often as that is carried out. Transactions that add to one row conflict, and a
     * form can have many submissions at once, so each adds to one of several shares of a day; an attempt that is repeated, to another.
     */
    async add(accountId: AccountId, counted: Counted, tx?: Transaction) {
      const { page, source } = counted.where;
      const all = [
        ['all', ''],
        ['page', page ?? ''],
        ['source', source ?? ''],
      ] as const;
      const share = tx ? randomInt(shares) : 0;
      const addShare = (one: (typeof all)[number]) =>
        addOne(accountId, counted, one, share, tx).catch(async (error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
          // Two requests that are the first of a day.
          if (tx) throw transientError('the first counts of a day are written concurrently');
          await addOne(accountId, counted, one, share);
        });
      // A transaction takes one operation at a time.
      if (tx) for (const one of all) await addShare(one);
      else await Promise.all(all.map(addShare));
    },

    /** The counts of each day on which something happened. */
    async byDay(accountId: AccountId, { formId, from, to }: CountsQuery): Promise<Map<number, FormCounts>> {
      const days = new Map<number, FormCounts>();
      const where = { account_id: accountId, form_id: formId, dimension: 'all' as const, day: { $gte: from, $lt: to } };
      for (const row of await rows.find(where).toArray()) {
        const day = days.get(row.day.getTime()) ?? noCounts();
        for (const name of countNames) day[name] += row[name] ?? 0;
        days.set(row.day.getTime(), day);
      }
      return days;
    },

    /** The counts by page or source, those with the most submissions and views first. */
    async byValue(accountId: AccountId, dimension: 'page' | 'source', { formId, from, to }: CountsQuery, limit: number) {
      const found = await rows
        .aggregate<{ _id: string } & FormCounts>([
          { $match: { account_id: accountId, form_id: formId, dimension, day: { $gte: from, $lt: to } } },
          { $group: { _id: '$value', ...Object.fromEntries(countNames.map((name) => [name, { $sum: `$${name}` }])) } },
          { $sort: { submissions: -1, views: -1, _id: 1 } },
          { $limit: limit },
        ])
        .toArray();
      return found.map(({ _id, ...counts }) => ({ value: _id === '' ? null : _id, counts }));
    },
  };
}

export const sumOf = (all: Iterable<FormCounts>): FormCounts => {
  const sum = noCounts();
  for (const counts of all) for (const name of countNames) sum[name] += counts[name];
  return sum;
};

export const countsOrZero = (counts: FormCounts | undefined): FormCounts => counts ?? noCounts();
