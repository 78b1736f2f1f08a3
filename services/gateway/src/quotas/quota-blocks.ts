import type { AccountId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { DailyUsageStore } from './daily-usage-store.ts';

type Waiting = { limit: number; resolve: (used: number | undefined) => void; reject: (error: unknown) => void };

/** A block of one account's daily quota that this gateway has reserved (counted in advance). */
type QuotaBlock = {
  accountId: AccountId;
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
  requesting: Promise<void> | undefined;
  returning: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
};

/** Called when a day is exhausted under a limit; not final if a gateway may have crashed while holding a block. */
type OnExhausted = (accountId: AccountId, date: string, limit: number, isFinal: boolean) => void;

type QuotaBlocksConfig = { usage: Pick<DailyUsageStore, 'take' | 'giveBack'>; onError: (error: unknown) => void };

const tickMs = 100;
/** A block is returned after this many ticks without use, or after `heldMs` if it is used slowly. */
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

const maxBlockSize = (limit: number) => Math.max(20, Math.floor(limit / 200));

/**
 * Counts requests against a daily quota without a database operation for each. For a busy account, the gateway reserves a
 * block of the quota, and the next block before the first is used up. Idle gateways give their blocks back within half a
 * second, blocks shrink to nothing towards the end of the quota, and no request is rejected while another gateway holds a
 * block. So the gateways together never admit too many requests and never reject too early. A crash loses a block.
 */
export function createQuotaBlocks({ usage, onError }: QuotaBlocksConfig) {
  const holder = Math.random().toString(36).slice(2, 12);
  const quotaBlocks = new Map<string, QuotaBlock>();
  // Monotonic: the wall clock may be set back.
  const now = () => performance.now();

  function blockOf(accountId: AccountId, date: string, limit: number): QuotaBlock {
    const key = `${accountId}:${date}`;
    const known = quotaBlocks.get(key);
    if (known) return known;
    const block: QuotaBlock = {
      ...{ accountId, date, limit, left: 0, used: 0, size: 0, takenAt: Number.NEGATIVE_INFINITY },
      ...{ marked: false, idle: 0, waiting: [], requesting: undefined, returning: undefined, timer: undefined },
    };
    quotaBlocks.set(key, block);
    watch(block);
    return block;
  }

  /** Charges one request to the block. Returns its number within the day, as far as this gateway knows. */
  function give(block: QuotaBlock): number {
    block.left -= 1;
    block.idle = 0;
    return block.used - block.left;
  }

  /** Counts the `needed` requests, and reserves a new block if the last one was used up quickly. */
  async function take(block: QuotaBlock, needed: number) {
    const maxSize = Math.min(maxBlockSize(block.limit), Math.max(0, Math.floor((block.limit - block.used) / 16)));
    block.size = Math.min(maxSize, nextSize(block.size, now() - block.takenAt));
    if (needed + block.size === 0) return { granted: 0, othersHold: false };
    const { accountId, date, limit, size: more } = block;
    const { granted, used, othersHold } = await usage.take({ accountId, date, limit, needed, more, holder });
    block.takenAt = now();
    block.used = used;
    block.left += granted;
    block.marked ||= granted > needed;
    return { granted, othersHold };
  }

  /** Returns unused blocks and forgets idle accounts. */
  function watch(block: QuotaBlock) {
    block.timer = setInterval(() => {
      block.idle += 1;
      const isUsed = block.idle <= idleTicks && now() - block.takenAt <= heldMs;
      if (isUsed || block.requesting !== undefined || block.returning !== undefined) return;
      if (block.marked) void giveBack(block);
      else forget(block);
    }, tickMs);
    block.timer.unref();
  }

  function forget(block: QuotaBlock) {
    clearInterval(block.timer);
    block.timer = undefined;
    quotaBlocks.delete(`${block.accountId}:${block.date}`);
  }

  function giveBack(block: QuotaBlock): Promise<void> {
    const { left } = block;
    block.left = 0;
    block.used -= left;
    block.marked = false;
    block.returning = usage.giveBack(block.accountId, block.date, left, holder).then(
      () => {
        block.returning = undefined;
      },
      (error: unknown) => {
        // Whether the database took it back is unknown. Using the block could admit requests twice, so it is lost.
        block.returning = undefined;
        block.used += left;
        block.marked = true;
        onError(error);
      },
    );
    return block.returning;
  }

  /** Retries until requests are granted, no other gateway holds a block, or the holders must have crashed. */
  async function takeAndSettle(block: QuotaBlock, needed: number): Promise<{ granted: number; othersHold: boolean }> {
    const giveUpAt = now() + settleMs;
    for (;;) {
      const { granted, othersHold } = await take(block, needed);
      if (granted > 0 || !othersHold || now() > giveUpAt) return { granted, othersHold };
      // Other gateways may be waiting for our block.
      if (block.marked) await giveBack(block);
      await pause(settleEveryMs);
    }
  }

  async function settleWaiting(block: QuotaBlock, onExhausted: OnExhausted) {
    for (let next = block.waiting[0]; next; next = block.waiting[0]) {
      const { limit } = next;
      const batch = block.waiting.filter((request) => request.limit === limit);
      block.waiting = block.waiting.filter((request) => request.limit !== limit);
      try {
        await block.returning;
        // After a plan change, start from what is actually used.
        if (limit !== block.limit && block.marked) await giveBack(block);
        block.limit = limit;
        while (batch.length > 0) {
          const { granted, othersHold } =
            block.left > 0 ? { granted: block.left, othersHold: false } : await takeAndSettle(block, batch.length);
          // New requests may have used up the grant in the meantime; then the loop takes more.
          if (granted === 0) {
            onExhausted(block.accountId, block.date, limit, !othersHold);
            for (const { resolve } of batch.splice(0)) resolve(undefined);
          }
          for (const { resolve } of batch.splice(0, block.left)) resolve(give(block));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** Reserves the next block before this one is used up, so that no request waits for it. */
  async function takeAhead(block: QuotaBlock) {
    try {
      await take(block, 0);
    } catch (error) {
      if (!isMongoUnavailable(error)) onError(error);
    }
  }

  function request(block: QuotaBlock, work: (block: QuotaBlock, onExhausted: OnExhausted) => Promise<void>, onExhausted: OnExhausted) {
    block.requesting = work(block, onExhausted).finally(() => {
      block.requesting = undefined;
      // Requests may have arrived since the last one was handled.
      if (block.waiting.length > 0) request(block, settleWaiting, onExhausted);
    });
  }

  return {
    /** Charges one request to a reserved block and returns how many are used; undefined if there is no usable block. */
    tryCharge(accountId: AccountId, date: string, limit: number, onExhausted: OnExhausted): number | undefined {
      const block = quotaBlocks.get(`${accountId}:${date}`);
      if (!block || block.left === 0 || block.limit !== limit || block.waiting.length > 0) return undefined;
      const used = give(block);
      if (block.left * 4 <= block.size && block.requesting === undefined && block.returning === undefined)
        request(block, takeAhead, onExhausted);
      return used;
    },

    /** Charges one request, using the database if necessary. Returns how many are used, or undefined if exhausted. */
    spend(accountId: AccountId, date: string, limit: number, onExhausted: OnExhausted): Promise<number | undefined> {
      const block = blockOf(accountId, date, limit);
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      block.waiting.push({ limit, resolve, reject });
      if (block.requesting === undefined) request(block, settleWaiting, onExhausted);
      return promise;
    },

    /** Reserved requests that are not used yet. */
    held: (accountId: AccountId, date: string) => quotaBlocks.get(`${accountId}:${date}`)?.left ?? 0,

    /** What was used when last read, plus what this gateway charged since; undefined for an idle account. */
    used(accountId: AccountId, date: string): number | undefined {
      const block = quotaBlocks.get(`${accountId}:${date}`);
      return block && block.takenAt > 0 ? block.used - block.left : undefined;
    },

    async stop() {
      for (const block of quotaBlocks.values()) {
        while (block.requesting !== undefined) await block.requesting;
        await block.returning;
        if (block.marked) await giveBack(block);
        forget(block);
      }
    },
  };
}
