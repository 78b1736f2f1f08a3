import type { Scope } from '@mp/contracts/permissions';
import type { AccountId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { ShareOf, UsageSharesStore } from './usage-shares-store.ts';
import { createWriteBehind, type Pace } from './write-behind.ts';

export type UsageShares = ReturnType<typeof createUsageShares>;

/** Rows per write. Larger or denser writes would delay concurrent requests. */
const writtenAtOnce = 10;
/** The rows of each second. If more keys are busy, those that have waited longest are written first. */
const pace = { maxRows: 100, overMs: 800 };

/** The route class of a request: the scope that its route requires. */
export const routeClassOf = (scope: Scope | null) => scope ?? 'none';

type Counted = { account_id: AccountId; date: string; of: ShareOf; name: string; requests: number };

/**
 * Breaks the day's requests down by credential and by route class. Counted in memory and written once a second, or less
 * often if more than a hundred keys are busy. A gateway that crashes loses what it has not written. The daily total is
 * counted elsewhere and is exact.
 */
export function createUsageShares({ shares, onError }: { shares: Pick<UsageSharesStore, 'add'>; onError: (error: unknown) => void }) {
  /** Unwritten counts by account and name; `waiting` has all of them, oldest first. */
  const counted = new Map<string, Map<string, Counted>>();
  const waiting: Counted[] = [];

  function add(share: Counted) {
    const { account_id, date, name, requests } = share;
    const own = counted.get(account_id) ?? new Map<string, Counted>();
    if (own.size === 0) counted.set(account_id, own);
    const known = own.get(name);
    if (known?.date === date) known.requests += requests;
    else {
      own.set(name, share);
      waiting.push(share);
    }
  }

  function take(max: number): Counted[] {
    const taken = waiting.splice(0, max);
    for (const share of taken) {
      const own = counted.get(share.account_id);
      // A share of another day may have replaced it.
      if (own?.get(share.name) === share) own.delete(share.name);
      if (own?.size === 0) counted.delete(share.account_id);
    }
    return taken;
  }

  async function write({ maxRows, overMs }: Pace, signal: AbortSignal) {
    const rows = Math.min(maxRows, waiting.length);
    const restMs = (overMs * writtenAtOnce) / rows;
    for (let left = rows; left > 0; left -= writtenAtOnce) {
      const batch = take(Math.min(left, writtenAtOnce));
      let isUnavailable = false;
      const unwritten = await shares.add(batch).catch((error: unknown) => {
        onError(error);
        isUnavailable = isMongoUnavailable(error);
        return batch;
      });
      for (const share of unwritten) add({ ...share });
      // Skip the rest: each write would wait for the same timeout.
      if (isUnavailable) return;
      if (left > writtenAtOnce) await pause(restMs, signal);
    }
  }

  return {
    ...createWriteBehind({ everyMs: 1_000, pace, write }),
    note(accountId: AccountId, date: string, credentialId: string, scope: Scope | null) {
      const one = { account_id: accountId, date, requests: 1 };
      add({ ...one, of: 'credential', name: credentialId });
      add({ ...one, of: 'route_class', name: routeClassOf(scope) });
    },
  };
}
