import type { AccountId, RunId, WorkflowId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { LogDocument } from '../runs/log-document.ts';
import { nowPrefix } from './counter-keys.ts';

export const units = ['hour', 'day'] as const;
type Unit = (typeof units)[number] | 'total';

const hourMs = 60 * 60 * 1_000;
const msOf = { hour: hourMs, day: 24 * hourMs };

/** How long counters by hour are kept. */
export const hoursKeptDays = 90;

/** The counters of one step in one period; step `''` counts runs. */
type CountsDocument = {
  _id: string;
  account_id: AccountId;
  workflow_id: WorkflowId;
  unit: Unit;
  /** The beginning of the period; of the total, null. */
  start: Date | null;
  step: string;
  counters: Counters;
  expires_at?: Date;
};

/** Numbers, and objects of numbers for `now`, `next`, `time` and `to_goal`. */
export type Counters = { [counter: string]: number | { [key: string]: number } };

/** Part of `LogDocument`: what to add, for which period. */
type Row = Pick<LogDocument, 'account_id' | 'workflow_id' | 'at' | 'counts'>;

export type CountsStore = ReturnType<typeof createCountsStore>;

const startOf = (unit: keyof typeof msOf, at: Date) => new Date(Math.floor(at.getTime() / msOf[unit]) * msOf[unit]);

/** Counters of workflows, by step and period. They are changed only in transactions that also change what they count. */
export function createCountsStore(db: Db) {
  const kept = db.collection<CountsDocument>('counts');
  const log = db.collection<LogDocument>('run_steps');

  async function add(tx: Transaction, rows: readonly Row[], sign: 1 | -1) {
    const sums = summed(rows, [...units, 'total']);
    if (sums.length === 0) return;
    await kept.bulkWrite(
      sums.map(({ _id, counters, account_id, ...fields }) => ({
        updateOne: {
          filter: { _id, account_id },
          update: {
            $inc: Object.fromEntries([...counters].map(([counter, by]) => [`counters.${counter}`, sign * by])),
            $setOnInsert: { ...fields, ...(fields.unit === 'hour' && fields.start && { expires_at: expiry(fields.start) }) },
          },
          // What an erasure subtracts from may have expired.
          upsert: sign === 1,
        },
      })),
      { session: tx.session, ordered: false },
    );
  }

  return {
    prepare: () =>
      prepareCollection(
        kept,
        [{ key: { account_id: 1, workflow_id: 1, unit: 1, start: 1 } }, { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
        db,
      ),

    /** Adds up to `limit` rows of the log to the counters. Returns their number. */
    async fold(tx: Transaction, limit: number): Promise<number> {
      const rows = await log.find({ uncounted: true }, { session: tx.session }).limit(limit).toArray();
      await add(tx, rows, 1);
      const ids = rows.map(({ _id }) => _id);
      if (ids.length > 0) await log.updateMany({ _id: { $in: ids } }, { $unset: { uncounted: '' } }, { session: tx.session });
      return ids.length;
    },

    /** Subtracts what these runs have counted, before their log is deleted. */
    async subtract(tx: Transaction, accountId: AccountId, runIds: readonly RunId[]) {
      const rows = await log
        .find({ account_id: accountId, run_id: { $in: [...runIds] }, uncounted: { $exists: false } }, { session: tx.session })
        .toArray();
      await add(tx, rows, -1);
    },

    /** The totals of a workflow by step, with what is not folded yet. */
    async totals(tx: Transaction, accountId: AccountId, workflowId: WorkflowId): Promise<Map<string, Counters>> {
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId };
      const rows = await log.find({ ...ofWorkflow, uncounted: true }, { session: tx.session }).toArray();
      const documents = await kept.find({ ...ofWorkflow, unit: 'total' }, { session: tx.session }).toArray();
      const byStep = new Map(documents.map(({ step, counters }) => [step, counters]));
      for (const { step, counters } of summed(rows, ['total'])) byStep.set(step, plus(byStep.get(step), counters));
      return byStep;
    },

    /** The counters of the periods that begin from `from` and before `to`, in order, with what is not folded yet. */
    async series(
      tx: Transaction,
      {
        accountId,
        workflowId,
        unit,
        from,
        to,
      }: { accountId: AccountId; workflowId: WorkflowId; unit: (typeof units)[number]; from: Date; to: Date },
    ) {
      const ofWorkflow = { account_id: accountId, workflow_id: workflowId };
      const range = { $gte: startOf(unit, from), $lt: to };
      const rows = await log.find({ ...ofWorkflow, uncounted: true, at: range }, { session: tx.session }).toArray();
      const documents = await kept.find({ ...ofWorkflow, unit, start: range }, { session: tx.session }).toArray();
      const byId = new Map(documents.map(({ _id, start, step, counters }) => [_id, { start, step, counters }]));
      for (const { _id, start, step, counters } of summed(rows, [unit])) {
        byId.set(_id, { start, step, counters: plus(byId.get(_id)?.counters, counters) });
      }
      return [...byId.values()].sort((a, b) => Number(a.start) - Number(b.start) || (a.step < b.step ? -1 : 1));
    },
  };
}

const expiry = (start: Date) => new Date(start.getTime() + hoursKeptDays * msOf.day);

/** One sum for each step, period and counter. */
function summed(rows: readonly Row[], wanted: readonly Unit[]) {
  type Sum = Omit<CountsDocument, 'counters'> & { counters: Map<string, number> };
  const sums = new Map<string, Sum>();
  for (const { account_id, workflow_id, at, counts = [] } of rows) {
    for (const unit of wanted) {
      const start = unit === 'total' ? null : startOf(unit, at);
      for (const [step, counter, by] of counts) {
        if (unit !== 'total' && counter.startsWith(nowPrefix)) continue;
        const _id = `${workflow_id} ${unit} ${start?.getTime() ?? ''} ${step}`;
        const sum = sums.get(_id) ?? { _id, account_id, workflow_id, unit, start, step, counters: new Map() };
        sum.counters.set(counter, (sum.counters.get(counter) ?? 0) + by);
        sums.set(_id, sum);
      }
    }
  }
  return [...sums.values()];
}

function plus(stored: Counters = {}, more: ReadonlyMap<string, number>): Counters {
  const sum = structuredClone(stored);
  for (const [counter, by] of more) {
    const [name = '', key] = counter.split('.');
    const now = sum[name];
    if (key === undefined) sum[name] = (typeof now === 'number' ? now : 0) + by;
    else {
      const keyed = typeof now === 'object' ? now : {};
      sum[name] = { ...keyed, [key]: (keyed[key] ?? 0) + by };
    }
  }
  return sum;
}
