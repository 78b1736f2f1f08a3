import type { Scope } from '@mp/contracts/permissions';
import { pause } from '@mp/service-kit/backoff';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { Background } from '@mp/service-kit/runner';
import type { ShareOf, UsageSharesStore } from './usage-shares-store.ts';

export type UsageShares = ReturnType<typeof createUsageShares>;

const flushMs = 1_000;

/** Rows per write, and the time over which writes are spread. Larger or denser writes would delay concurrent requests. */
const writtenAtOnce = 10;
const writtenOverMs = 800;
/** Rows per second. If more keys are busy, those that have waited longest are written first. */
const writtenEachTime = 100;

/** The route class of a request: the scope that its route requires. */
export const routeClassOf = (scope: Scope | null) => scope ?? 'none';

type Counted = { account_id: string; date: string; of: ShareOf; name: string; requests: number };

/**
 * Breaks the day's requests down by credential and by route class. Counted in memory and written once a second, or less
 * often if more than a hundred keys are busy. A gateway that crashes loses what it has not written. The daily total is
 * counted elsewhere and is exact.
 */
export function createUsageShares({ shares, onError }: { shares: Pick<UsageSharesStore, 'add'>; onError: (error: unknown) => void }) {
  /** Unwritten counts by account and name; `waiting` has all of them, oldest first. */
  const counted = new Map<string, Map<string, Counted>>();
  const waiting: Counted[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;
  const stopping = new AbortController();

  function add(account_id: string, date: string, of: ShareOf, name: string, requests: number) {
    const own = counted.get(account_id) ?? new Map<string, Counted>();
    if (own.size === 0) counted.set(account_id, own);
    const known = own.get(name);
    if (known?.date === date) known.requests += requests;
    else {
      const share = { account_id, date, of, name, requests };
      own.set(name, share);
      waiting.push(share);
    }
  }

  function take(most: number): Counted[] {
    const taken = waiting.splice(0, most);
    for (const share of taken) {
      const own = counted.get(share.account_id);
      // A share of another day may have replaced it.
      if (own?.get(share.name) === share) own.delete(share.name);
      if (own?.size === 0) counted.delete(share.account_id);
    }
    return taken;
  }

  async function write(most: number, overMs: number) {
    const rows = Math.min(most, waiting.length);
    const restMs = (overMs * writtenAtOnce) / rows;
    for (let left = rows; left > 0; left -= writtenAtOnce) {
      const batch = take(Math.min(left, writtenAtOnce));
      let isUnavailable = false;
      const unwritten = await shares.add(batch).catch((error: unknown) => {
        onError(error);
        isUnavailable = isMongoUnavailable(error);
        return batch;
      });
      for (const { account_id, date, of, name, requests } of unwritten) add(account_id, date, of, name, requests);
      // Skip the rest: each write would wait for the same timeout.
      if (isUnavailable) return;
      if (left > writtenAtOnce) await pause(restMs, stopping.signal);
    }
  }

  /** Runs one flush at a time; counts that arrive during a flush are written by the next. */
  function flush(most = Number.POSITIVE_INFINITY, overMs = 0): Promise<void> {
    const before = flushing ?? Promise.resolve();
    const own = before
      .then(() => write(most, overMs))
      .finally(() => {
        if (flushing === own) flushing = undefined;
      });
    flushing = own;
    return own;
  }

  const background: Background = {
    start() {
      timer = setInterval(() => {
        if (!flushing) void flush(writtenEachTime, writtenOverMs);
      }, flushMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await flush();
    },
  };

  return {
    ...background,
    flush,
    note(accountId: string, date: string, credentialId: string, scope: Scope | null) {
      add(accountId, date, 'credential', credentialId, 1);
      add(accountId, date, 'route_class', routeClassOf(scope), 1);
    },
  };
}
