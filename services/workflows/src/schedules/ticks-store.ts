import type { KnownPositions } from '@mp/contracts/requests/positions';
import type { AccountId, ContactId, WorkflowId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Workflow } from '../workflows/workflow.ts';
import { nextTick } from './next-tick.ts';

/** The next time at which a workflow looks for contacts automatically. */
export type Tick = {
  workflow_id: WorkflowId;
  account_id: AccountId;
  /** The time that is due. Runs of one tick start once per contact. */
  at: Date;
  /** The last contact that was processed for this time. */
  after: ContactId | null;
  /** The time as of which the members of the segment are read; null until segments has everything confirmed by `at`. */
  as_of: Date | null;
  /** Of an activation that also starts runs for past events: since when. */
  since: Date | null;
  /** The known positions of what the segment depends on, while the tick waits for them. */
  whereabouts: KnownPositions;
};

type TickDocument = Omit<Tick, 'workflow_id' | 'as_of' | 'since' | 'whereabouts'> & {
  _id: WorkflowId;
  as_of?: Date;
  since?: Date;
  whereabouts?: KnownPositions;
  /** When a worker can claim it: its time, or the end of the current lease. */
  due_at: Date;
  /** A workflow that is activated again, or whose trigger is replaced, starts over. */
  activated_at: string;
};

export type TicksStore = ReturnType<typeof createTicksStore>;

/** Owns the `ticks` collection: one row for each active workflow with a `schedule` or `date` trigger, and for each whose segment is being enrolled. */
export function createTicksStore(db: Db) {
  const ticks = db.collection<TickDocument>('ticks');
  const listeners = new Set<() => void>();
  const tickOf = ({ _id, account_id, at, after, as_of, since, whereabouts }: TickDocument): Tick => ({
    ...{ workflow_id: _id, account_id, at, after },
    as_of: as_of ?? null,
    since: since ?? null,
    whereabouts: whereabouts ?? {},
  });
  const same = ({ workflow_id, account_id, at, after }: Tick) => ({ _id: workflow_id, account_id, at, after });

  return {
    prepare: () => prepareCollection(ticks, [{ key: { due_at: 1 } }], db),

    /** Sets the next tick of a workflow in the transaction that writes it; none if it is not active or has another trigger. */
    async plan(tx: Transaction, accountId: AccountId, workflow: Workflow, { gone = false } = {}) {
      const { id, status, trigger, activated_at } = workflow;
      const own = { _id: id, account_id: accountId };
      const isOn = !gone && status === 'active' && activated_at !== null;
      const known = isOn && (await ticks.findOne(own, { session: tx.session, projection: { activated_at: 1 } }));
      if (isOn && known && known.activated_at === activated_at) return;
      const at = isOn ? nextTick(trigger, new Date(activated_at)) : undefined;
      if (!isOn || !at) {
        await ticks.deleteOne(own, { session: tx.session });
        return;
      }
      const row = { account_id: accountId, at, after: null, due_at: at, activated_at };
      await ticks.replaceOne(own, row, { session: tx.session, upsert: true });
    },

    /** Enrolls the members of the trigger's segment now or, with `since`, the contacts that had the trigger's event since then. */
    async enroll(tx: Transaction, accountId: AccountId, { id, activated_at }: Workflow, now: Date, since: Date | null = null) {
      if (activated_at === null) return;
      const row = { account_id: accountId, at: now, after: null, due_at: now, activated_at, ...(since && { since }) };
      await ticks.replaceOne({ _id: id, account_id: accountId }, row, { session: tx.session, upsert: true });
      tx.afterCommit(() => {
        for (const listener of listeners) listener();
      });
    },

    /** Calls the listener after each commit that added a tick that is due at once. */
    onDue(listener: () => void) {
      listeners.add(listener);
    },

    /** The earliest due time of all ticks that are due. */
    async earliestDue(now: Date, without: readonly AccountId[]): Promise<Date | undefined> {
      const due = { due_at: { $lte: now }, ...(without.length > 0 && { account_id: { $nin: [...without] } }) };
      return (await ticks.findOne(due, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at;
    },

    /** When the next tick can be claimed. */
    nextDue: async (): Promise<Date | undefined> => (await ticks.findOne({}, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at,

    /** Claims one due tick until the lease ends. */
    async claim(now: Date, leaseMs: number): Promise<Tick | undefined> {
      const found = await ticks.findOneAndUpdate(...nextDue(now, leaseMs));
      return found ? tickOf(found) : undefined;
    },

    /** Stores the time as of which all pages of the tick are read, and returns it, or the one that another worker stored. */
    async readAsOf(tick: Tick, asOf: Date): Promise<Date | undefined> {
      await ticks.updateOne({ ...same(tick), as_of: { $exists: false } }, { $set: { as_of: asOf }, $unset: { whereabouts: '' } });
      return (await ticks.findOne(same(tick), { projection: { as_of: 1 } }))?.as_of;
    },

    /** Lets the tick be claimed again at this time, with the positions that are known by now. */
    awaitSources: (tick: Tick, whereabouts: KnownPositions, until: Date) =>
      ticks.updateOne(same(tick), { $set: { whereabouts, due_at: until } }),

    /** Records the progress of a tick, or its next time. Returns false when another worker did so first. */
    async advance(tx: Transaction, tick: Tick, { at, after }: Pick<Tick, 'at' | 'after'>): Promise<boolean> {
      const over = after === null && { $unset: { as_of: '', whereabouts: '' } as const };
      const { matchedCount } = await ticks.updateOne(same(tick), { $set: { at, after, due_at: at }, ...over }, { session: tx.session });
      return matchedCount === 1;
    },

    /** Lets the tick be claimed again at this time. */
    postpone: (tick: Tick, until: Date) => ticks.updateOne(same(tick), { $set: { due_at: until } }),

    remove: (tx: Transaction, tick: Tick) => ticks.deleteOne(same(tick), { session: tx.session }),
  };
}
