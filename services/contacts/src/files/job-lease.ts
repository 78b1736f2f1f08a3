import { randomUUID } from 'node:crypto';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';

/** What an import and an export have beside what they are about: they are worked off by one process at a time, in turns. */
export type Leased = {
  status: string;
  touched_at: Date;
  lease: string | null;
  lease_until: Date;
  /** How often work on it has failed for a reason of ours since it last went on. */
  attempts: number;
};

/** A job in the hands of one process; what it writes it writes only as long as it holds it. */
export type Held = { id: string; lease: string };

const leaseMs = 15_000;
const leaseUntil = (now: Date) => new Date(now.getTime() + leaseMs);

/** The index that finds the next job. */
export const queueIndex = { name: 'queue', key: { status: 1, touched_at: 1 } } as const;

/** Nobody's, to begin with. */
export const noLease = (now: Date) => ({ touched_at: now, lease: null, lease_until: now, attempts: 0 });

/** Those that may be taken, none of a suspended account among them; the one that waited longest goes first. */
export const claimable = (now: Date, suspended: Suspended) => ({
  status: { $in: ['queued' as const, 'running' as const] },
  lease_until: { $lte: now },
  ...notSuspended(suspended),
});
export const waitedLongest = { touched_at: 1 } as const;

/** Takes it, for this process alone for some seconds. */
export const claimed = (now: Date) => ({ status: 'running' as const, lease: randomUUID(), lease_until: leaseUntil(now) });

/** The job as long as nobody else has taken it and it has not ended. */
export const heldBy = ({ id, lease }: Held) => ({ _id: id, lease, status: 'running' as const });

/** It went on: the process has it for some seconds more. */
export const wentOn = (now: Date) => ({ attempts: 0, touched_at: now, lease_until: leaseUntil(now) });

/** Whoever holds it lets go: another process, or this one after others had their turn, may go on, at once or after a failure later. */
export const released = (delayMs: number, now: Date) => ({
  $set: { lease: null, lease_until: new Date(now.getTime() + delayMs), touched_at: now },
  ...(delayMs > 0 && { $inc: { attempts: 1 } }),
});

/** Nobody can take it before what its process was about to write is refused and its leftovers are gone. */
export const withheld = (now: Date) => ({ lease: null, lease_until: leaseUntil(now) });
