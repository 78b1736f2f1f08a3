import { pause } from '@mp/service-kit/backoff';
import { isMongoAway } from '@mp/service-kit/mongo';
import type { UsageStore } from './usage-store.ts';

type Waiting = { limit: number; resolve: (used: number | undefined) => void; reject: (error: unknown) => void };

/** A block of one account's daily quota that this gateway has reserved (counted in advance). */
type Lease = {
  accountId: string;
  date: string;
  limit: number;
  left: number;
  /** The database counter when last read; includes `left`. */
  used: number;
  /** How many requests to reserve next; grows while blocks are used up quickly. */
  size: number;
  takenAt: number;
  /** Whether the database shows this gateway as a holder, visible to other gateways. */
  marked: boolean;
  /** Ticks since a request was last charged to this block. */
  idle: number;
  waiting: Waiting[];
  /** The running database operation; only one at a time. */
  asking: Promise<void> | undefined;
  returning: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
};

/** Called when a day is exhausted under a limit; not final if a gateway may have crashed while holding a block. */
type OnSpent = (accountId: string, date: string, limit: number, isFinal: boolean) => void;

type LeasesConfig = { usage: Pick<UsageStore, 'take' | 'giveBack'>; onError: (error: unknown) => void };

const tickMs = 100;
/** A block is given back after this many ticks without use, or after `heldMs` if it is used slowly. */
const idleTicks = 5;
const heldMs = 20 * tickMs;
/** Longer than a running gateway holds an unused block; one held beyond this belongs to a crashed gateway. */
const settleMs = 2_500;
const settleEveryMs = 25;

/** A block should last fourteen ticks: larger if the last one was used up sooner, none for occasional callers. */
function nextSize(size: number, lasted: number) {
  if (lasted < 4 * tickMs) return size * 2 + 1;
  if (lasted < 18 * tickMs) return Math.max(size, Math.floor((size * 14 * tickMs) / lasted));
  return 0;
}

const blockMax = (limit: number) => Math.max(20, Math.floor(limit / 200));

/**
 * Counts requests against a daily quota without a database operation for each. For a busy account, the gateway reserves a
 * block of the quota, and the next block before the first is used up. Idle gateways give their blocks back within half a
 * second, blocks shrink to nothing towards the end of the quota, and no request is rejected while another gateway holds a
 * block. So the gateways together never admit too many requests and never reject too early. A crash loses a block.
 */
export function createLeases({ usage, onError }: LeasesConfig) {
  const holder = Math.random().toString(36).slice(2, 12);
  const leases = new Map<string, Lease>();
  // Monotonic: the wall clock may be set back.
  const now = () => performance.now();

  function leaseOf(accountId: string, date: string, limit: number): Lease {
    const key = `${accountId}:${date}`;
    const known = leases.get(key);
    if (known) return known;
    const lease: Lease = {
      ...{ accountId, date, limit, left: 0, used: 0, size: 0, takenAt: Number.NEGATIVE_INFINITY },
      ...{ marked: false, idle: 0, waiting: [], asking: undefined, returning: undefined, timer: undefined },
    };
    leases.set(key, lease);
    watch(lease);
    return lease;
  }

  /** Charges one request to the block. Returns its number within the day, as far as this gateway knows. */
  function give(lease: Lease): number {
    lease.left -= 1;
    lease.idle = 0;
    return lease.used - lease.left;
  }

  /** Counts the `needed` requests, and reserves a new block if the last one was used up quickly. */
  async function take(lease: Lease, needed: number) {
    const most = Math.min(blockMax(lease.limit), Math.max(0, Math.floor((lease.limit - lease.used) / 16)));
    lease.size = Math.min(most, nextSize(lease.size, now() - lease.takenAt));
    if (needed + lease.size === 0) return { granted: 0, othersHold: false };
    const { granted, used, othersHold } = await usage.take(lease.accountId, lease.date, lease.limit, { needed, more: lease.size }, holder);
    lease.takenAt = now();
    lease.used = used;
    lease.left += granted;
    lease.marked ||= granted > needed;
    return { granted, othersHold };
  }

  /** Gives unused blocks back and forgets idle accounts. */
  function watch(lease: Lease) {
    lease.timer = setInterval(() => {
      lease.idle += 1;
      const isUsed = lease.idle <= idleTicks && now() - lease.takenAt <= heldMs;
      if (isUsed || lease.asking !== undefined || lease.returning !== undefined) return;
      if (lease.marked) void giveBack(lease);
      else forget(lease);
    }, tickMs);
    lease.timer.unref();
  }

  function forget(lease: Lease) {
    clearInterval(lease.timer);
    lease.timer = undefined;
    leases.delete(`${lease.accountId}:${lease.date}`);
  }

  function giveBack(lease: Lease): Promise<void> {
    const { left } = lease;
    lease.left = 0;
    lease.used -= left;
    lease.marked = false;
    lease.returning = usage.giveBack(lease.accountId, lease.date, left, holder).then(
      () => {
        lease.returning = undefined;
      },
      (error: unknown) => {
        // Whether the database took it back is unknown. Using the block could admit requests twice, so it is lost.
        lease.returning = undefined;
        lease.used += left;
        lease.marked = true;
        onError(error);
      },
    );
    return lease.returning;
  }

  /** Retries until requests are granted, no other gateway holds a block, or the holders must have crashed. */
  async function takeAndSettle(lease: Lease, needed: number): Promise<{ granted: number; othersHold: boolean }> {
    const giveUpAt = now() + settleMs;
    for (;;) {
      const { granted, othersHold } = await take(lease, needed);
      if (granted > 0 || !othersHold || now() > giveUpAt) return { granted, othersHold };
      // Other gateways may be waiting for our block.
      if (lease.marked) await giveBack(lease);
      await pause(settleEveryMs);
    }
  }

  async function answerWaiting(lease: Lease, onSpent: OnSpent) {
    for (let next = lease.waiting[0]; next; next = lease.waiting[0]) {
      const { limit } = next;
      const batch = lease.waiting.filter((request) => request.limit === limit);
      lease.waiting = lease.waiting.filter((request) => request.limit !== limit);
      try {
        await lease.returning;
        // After a plan change, start from what is actually used.
        if (limit !== lease.limit && lease.marked) await giveBack(lease);
        lease.limit = limit;
        while (batch.length > 0) {
          const { granted, othersHold } =
            lease.left > 0 ? { granted: lease.left, othersHold: false } : await takeAndSettle(lease, batch.length);
          // New requests may have used up the grant in the meantime; then the loop takes more.
          if (granted === 0) {
            onSpent(lease.accountId, lease.date, limit, !othersHold);
            for (const { resolve } of batch.splice(0)) resolve(undefined);
          }
          for (const { resolve } of batch.splice(0, lease.left)) resolve(give(lease));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** Reserves the next block before this one is used up, so that no request waits for it. */
  async function takeAhead(lease: Lease) {
    try {
      await take(lease, 0);
    } catch (error) {
      if (!isMongoAway(error)) onError(error);
    }
  }

  function ask(lease: Lease, question: (lease: Lease, onSpent: OnSpent) => Promise<void>, onSpent: OnSpent) {
    lease.asking = question(lease, onSpent).finally(() => {
      lease.asking = undefined;
      // Requests may have arrived since the last one was handled.
      if (lease.waiting.length > 0) ask(lease, answerWaiting, onSpent);
    });
  }

  return {
    /** Charges one request to a reserved block and returns how many are used; undefined if there is no usable block. */
    hand(accountId: string, date: string, limit: number, onSpent: OnSpent): number | undefined {
      const lease = leases.get(`${accountId}:${date}`);
      if (!lease || lease.left === 0 || lease.limit !== limit || lease.waiting.length > 0) return undefined;
      const used = give(lease);
      if (lease.left * 4 <= lease.size && lease.asking === undefined && lease.returning === undefined) ask(lease, takeAhead, onSpent);
      return used;
    },

    /** Charges one request, using the database if necessary. Returns how many are used, or undefined if exhausted. */
    spend(accountId: string, date: string, limit: number, onSpent: OnSpent): Promise<number | undefined> {
      const lease = leaseOf(accountId, date, limit);
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      lease.waiting.push({ limit, resolve, reject });
      if (lease.asking === undefined) ask(lease, answerWaiting, onSpent);
      return promise;
    },

    /** Reserved requests that are not used yet. */
    held: (accountId: string, date: string) => leases.get(`${accountId}:${date}`)?.left ?? 0,

    /** What was used when last read, plus what this gateway charged since; undefined for an idle account. */
    used(accountId: string, date: string): number | undefined {
      const lease = leases.get(`${accountId}:${date}`);
      return lease && lease.takenAt > 0 ? lease.used - lease.left : undefined;
    },

    async stop() {
      for (const lease of leases.values()) {
        while (lease.asking !== undefined) await lease.asking;
        await lease.returning;
        if (lease.marked) await giveBack(lease);
        forget(lease);
      }
    },
  };
}
