import { randomUUID } from 'node:crypto';
import type { AccountId, RunId } from '@mp/ids';
import type { Db, Filter } from 'mongodb';
import { runCollections } from './run-collections.ts';
import { type DueField, type RunDocument, runOf, type StoredRun } from './run-document.ts';

/** A run whose webhook is due. */
export type DueCall = { id: RunId; account_id: AccountId; host: string };

/** What must not be called now: accounts and hosts at their limit, and hosts that do not respond to an account. */
export type Withheld = {
  accounts: readonly AccountId[];
  hosts: readonly string[];
  silent: readonly { account_id: AccountId; host: string }[];
};

type ClaimQuery = { now: Date; leaseUntil: Date; limit: number; without: readonly AccountId[]; horizon: Date };

export type Claims = ReturnType<typeof createClaims>;

const maxOverdueCounted = 10_000;

/** Claims runs by lease for the workers that advance them. No two workers hold the same run. */
export function createClaims(db: Db) {
  const { runs } = runCollections(db);

  async function take(field: DueField, ids: readonly RunId[], now: Date, leaseUntil: Date): Promise<StoredRun[]> {
    if (ids.length === 0) return [];
    const claim = randomUUID();
    await runs.updateMany({ _id: { $in: [...ids] }, [field]: { $lte: now } }, { $set: { [field]: leaseUntil, claim } });
    const claimed = await runs.find({ _id: { $in: [...ids] }, claim }).toArray();
    return claimed.map(runOf);
  }

  return {
    /**
     * Claims up to `limit` due runs until `leaseUntil`, except those of the accounts in `without`: those with a high priority
     * first, then the earliest. `next` is when the next run becomes due, if that is before `horizon`.
     */
    async claim({ now, leaseUntil, limit, without, horizon }: ClaimQuery) {
      const soon = { due_at: { $lte: horizon }, ...(without.length > 0 && { account_id: { $nin: [...without] } }) };
      const earliest = (filter: Filter<RunDocument>, most: number) =>
        runs
          .find({ ...soon, ...filter }, { projection: { due_at: 1 } })
          .sort({ due_at: 1 })
          .limit(most)
          .toArray();
      const isDue = ({ due_at }: { due_at?: Date }) => due_at !== undefined && due_at <= now;
      const first = await earliest({ priority: 'high' }, limit);
      const room = limit - first.filter(isDue).length;
      const found = [...first, ...(room > 0 ? await earliest({ priority: { $exists: false } }, room) : [])];
      const due = found.filter(isDue).map(({ _id }) => _id);
      const later = found.flatMap((one) => (isDue(one) || !one.due_at ? [] : [one.due_at.getTime()]));
      const next = later.length > 0 ? new Date(Math.min(...later)) : null;
      return { claimed: await take('due_at', due, now, leaseUntil), next, full: due.length === limit };
    },

    /** Runs that should have advanced by then: the earliest due time, and how many there are up to a limit. */
    async overdue(before: Date, without: readonly AccountId[]): Promise<{ count: number; since: Date | undefined }> {
      const late = { due_at: { $lte: before }, ...(without.length > 0 && { account_id: { $nin: [...without] } }) };
      const [count, oldest] = await Promise.all([
        runs.countDocuments(late, { limit: maxOverdueCounted, hint: 'due' }),
        runs.findOne(late, { sort: { due_at: 1 }, projection: { due_at: 1 }, hint: 'due' }),
      ]);
      return { count, since: oldest?.due_at };
    },

    /** Runs whose webhook is due, earliest first. Does not claim them. */
    async dueCalls(now: Date, limit: number, { accounts, hosts, silent }: Withheld): Promise<DueCall[]> {
      const due: Filter<RunDocument> = {
        call_at: { $lte: now },
        ...(accounts.length > 0 && { account_id: { $nin: [...accounts] } }),
        ...(hosts.length > 0 && { 'waiting.host': { $nin: [...hosts] } }),
        ...(silent.length > 0 && { $nor: silent.map(({ account_id, host }) => ({ account_id, 'waiting.host': host })) }),
      };
      const found = await runs
        .find(due, { projection: { account_id: 1, waiting: 1 } })
        .sort({ call_at: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, account_id, waiting }) => ({
        id: _id,
        account_id,
        host: waiting?.for === 'webhook' ? (waiting.host ?? '') : '',
      }));
    },

    /** When the next webhook is due. */
    nextCall: async (): Promise<Date | undefined> =>
      (await runs.findOne({ call_at: { $exists: true } }, { sort: { call_at: 1 }, projection: { call_at: 1 } }))?.call_at,

    claimCalls: (ids: readonly RunId[], now: Date, leaseUntil: Date) => take('call_at', ids, now, leaseUntil),
  };
}
