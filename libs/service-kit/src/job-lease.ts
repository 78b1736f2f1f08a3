import { randomUUID } from 'node:crypto';
import { notSuspended, type Suspended } from './suspensions.ts';

/** The lease fields of a job: one process at a time works on it, in turns. */
export type Leased = {
  status: string;
  touched_at: Date;
  lease: string | null;
  lease_until: Date;
  /** How often work on it has failed because of an internal error since it last made progress. */
  attempts: number;
};

/** A job leased by one process, which may write only while it holds the lease. */
export type Held = { id: string; lease: string };

const usualLeaseMs = 15_000;
const leaseUntil = (now: Date, leaseMs = usualLeaseMs) => new Date(now.getTime() + leaseMs);

/** The index that finds the next job. */
export const queueIndex = { name: 'queue', key: { status: 1, touched_at: 1 } } as const;

/** Initially unleased. */
export const noLease = (now: Date) => ({ touched_at: now, lease: null, lease_until: now, attempts: 0 });

/** Jobs that can be leased; those of suspended accounts cannot. */
export const claimable = (now: Date, suspended?: Suspended) => ({
  status: { $in: ['queued' as const, 'running' as const] },
  lease_until: { $lte: now },
  ...(suspended && notSuspended(suspended)),
});
export const oldestFirst = { touched_at: 1 } as const;

/** Leases the job to this process, for 15 seconds unless it says otherwise. */
export const claimed = (now: Date, leaseMs?: number) => ({
  status: 'running' as const,
  lease: randomUUID(),
  lease_until: leaseUntil(now, leaseMs),
});

/** Matches the job while this process holds its lease and it has not ended. */
export const heldBy = ({ id, lease }: Held) => ({ _id: id, lease, status: 'running' as const });

/** Extends the lease, whether or not the work has made progress. */
export const extended = (now: Date, leaseMs?: number) => ({ lease_until: leaseUntil(now, leaseMs) });

/** Records progress and extends the lease. */
export const renewed = (now: Date) => ({ attempts: 0, touched_at: now, ...extended(now) });

/** Ends the lease. Any process can continue after `delayMs`; a delay counts as a failed attempt. */
export const released = (delayMs: number, now: Date) => ({
  $set: { lease: null, lease_until: new Date(now.getTime() + delayMs), touched_at: now },
  ...(delayMs > 0 && { $inc: { attempts: 1 } }),
});

/** Ends the lease, but no process can take the job until pending writes have been rejected and its leftovers removed. */
export const blocked = (now: Date) => ({ lease: null, lease_until: leaseUntil(now) });

/**
 * Claims the row that has been due longest, by making it due again at the end of the lease: `rows.findOneAndUpdate(...nextDue(now, ms))`.
 * For work that two processes may repeat, because nothing tells a process that it has lost the row.
 */
export const nextDue = (now: Date, leaseMs: number) =>
  [{ due_at: { $lte: now } }, { $set: { due_at: leaseUntil(now, leaseMs) } }, { sort: { due_at: 1 } }] as const;
