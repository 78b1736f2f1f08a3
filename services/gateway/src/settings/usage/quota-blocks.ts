import { pause } from '@mp/service-kit/backoff';
import { isMongoAway } from '@mp/service-kit/mongo';
import type { UsageStore } from './usage-store.ts';

type Waiting = { limit: number; resolve: (used: number | undefined) => void; reject: (error: unknown) => void };

/** What this gateway has counted of one account's day, and not yet given out. */
type Lease = {
  accountId: string;
  date: string;
  limit: number;
  left: number;
  /** As the counter stood when last asked, what is left here included. */
  used: number;
  /** How many are counted in advance; grows while they are used up quickly. */
  size: number;
  takenAt: number;
  /** Whether the others can see that something is held here. */
  marked: boolean;
  /** How many ticks ago something of it was last spent. */
  idle: number;
  waiting: Waiting[];
  /** What the database is being asked: one question at a time. */
  asking: Promise<void> | undefined;
  returning: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
};

/** Told when a day is spent under a limit; not final when a gateway seems to have died with some of it. */
type OnSpent = (accountId: string, date: string, limit: number, isFinal: boolean) => void;

type LeasesConfig = { usage: Pick<UsageStore, 'take' | 'giveBack'>; onError: (error: unknown) => void };

const tickMs = 100;
/** What nobody used for so many ticks goes back, and so does what is used slowly, after a while. */
const idleTicks = 5;
const heldMs = 20 * tickMs;
/** Longer than anybody holds what they do not use: who still holds it has died. */
const settleMs = 2_500;
const settleEveryMs = 25;

/** A block is to last fourteen ticks: larger when the last one went sooner, none for who asks now and then. */
function nextSize(size: number, lasted: number) {
  if (lasted < 4 * tickMs) return size * 2 + 1;
  if (lasted < 18 * tickMs) return Math.max(size, Math.floor((size * 14 * tickMs) / lasted));
  return 0;
}

const blockMax = (limit: number) => Math.max(20, Math.floor(limit / 200));

/**
 * Counts requests against a daily limit without asking the database for each: an account that is busy has a block of
 * them counted in advance, and the next one before it is used up. What an idle gateway holds goes back within half
 * a second, blocks shrink to nothing towards the end of the quota, and nobody is refused while another gateway holds
 * some: so together they never admit more, and never refuse too early. A gateway that dies loses its block.
 */
export function createLeases({ usage, onError }: LeasesConfig) {
  const holder = Math.random().toString(36).slice(2, 12);
  const leases = new Map<string, Lease>();
  // Not the clock, which may be set back.
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

  /** The number of this request in the day, as far as this gateway sees. */
  function give(lease: Lease): number {
    lease.left -= 1;
    lease.idle = 0;
    return lease.used - lease.left;
  }

  /** Counts what is needed, and more in advance when the last of it went quickly. */
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

  /** Gives back what is not used, and forgets an account that is quiet. */
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
        // It may have gone back or not: given out again it could be admitted twice, so it is lost.
        lease.returning = undefined;
        lease.used += left;
        lease.marked = true;
        onError(error);
      },
    );
    return lease.returning;
  }

  /** Takes until something is granted, or nobody holds anything, or who holds it has died. */
  async function takeAndSettle(lease: Lease, needed: number): Promise<{ granted: number; othersHold: boolean }> {
    const giveUpAt = now() + settleMs;
    for (;;) {
      const { granted, othersHold } = await take(lease, needed);
      if (granted > 0 || !othersHold || now() > giveUpAt) return { granted, othersHold };
      // Others wait for us as we for them.
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
        // A plan that changed counts anew, from what is really used.
        if (limit !== lease.limit && lease.marked) await giveBack(lease);
        lease.limit = limit;
        while (batch.length > 0) {
          const { granted, othersHold } =
            lease.left > 0 ? { granted: lease.left, othersHold: false } : await takeAndSettle(lease, batch.length);
          // What was granted may have gone to who came meanwhile; then these ask again.
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

  /** Before the block is used up, so that nobody waits for the next. */
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
      // Somebody may have come between the last answer and now.
      if (lease.waiting.length > 0) ask(lease, answerWaiting, onSpent);
    });
  }

  return {
    /** How many are used with this one, when it is counted in advance; undefined when it is not. */
    hand(accountId: string, date: string, limit: number, onSpent: OnSpent): number | undefined {
      const lease = leases.get(`${accountId}:${date}`);
      if (!lease || lease.left === 0 || lease.limit !== limit || lease.waiting.length > 0) return undefined;
      const used = give(lease);
      if (lease.left * 4 <= lease.size && lease.asking === undefined && lease.returning === undefined) ask(lease, takeAhead, onSpent);
      return used;
    },

    /** How many are used with this one, or undefined when the day is spent; asks the database where nothing is left. */
    spend(accountId: string, date: string, limit: number, onSpent: OnSpent): Promise<number | undefined> {
      const lease = leaseOf(accountId, date, limit);
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      lease.waiting.push({ limit, resolve, reject });
      if (lease.asking === undefined) ask(lease, answerWaiting, onSpent);
      return promise;
    },

    /** What is counted and not given out. */
    held: (accountId: string, date: string) => leases.get(`${accountId}:${date}`)?.left ?? 0,

    /** What was used when last asked, and here since; undefined for an account that is quiet. */
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
