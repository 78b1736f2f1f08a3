import type { Scope } from '@mp/contracts/permissions';
import type { AccountId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { BreakdownBy, UsageBreakdownStore } from './usage-breakdown-store.ts';
import { createWriteBehind, type Pace } from './write-behind.ts';

export type UsageBreakdown = ReturnType<typeof createUsageBreakdown>;

/** Rows per write. Larger or denser writes would delay concurrent requests. */
const writtenAtOnce = 10;
/** The rows of each second. If more keys are busy, those that have waited longest are written first. */
const pace = { maxRows: 100, overMs: 800 };

/** The route class of a request: the scope that its route requires. */
export const routeClassOf = (scope: Scope | null) => scope ?? 'none';

type Counted = { account_id: AccountId; date: string; of: BreakdownBy; name: string; requests: number };

/**
 * Breaks the day's requests down by credential and by route class. Counted in memory and written once a second, or less
 * often if more than a hundred keys are busy. A gateway that crashes loses what it has not written. The daily total is
 * counted elsewhere and is exact.
 */
export function createUsageBreakdown({ store, onError }: { store: Pick<UsageBreakdownStore, 'add'>; onError: (error: unknown) => void }) {
  /** Unwritten counts by account and name; `waiting` has all of them, oldest first. */
  const counted = new Map<string, Map<string, Counted>>();
  const waiting: Counted[] = [];

  function add(row: Counted) {
    const { account_id, date, name, requests } = row;
    const own = counted.get(account_id) ?? new Map<string, Counted>();
    if (own.size === 0) counted.set(account_id, own);
    const known = own.get(name);
    if (known?.date === date) known.requests += requests;
    else {
      own.set(name, row);
      waiting.push(row);
    }
  }

  function take(max: number): Counted[] {
    const taken = waiting.splice(0, max);
    for (const row of taken) {
      const own = counted.get(row.account_id);
      // A row of another day may have replaced it.
      if (own?.get(row.name) === row) own.delete(row.name);
      if (own?.size === 0) counted.delete(row.account_id);
    }
    return taken;
  }

  async function write({ maxRows, overMs }: Pace, signal: AbortSignal) {
    const rows = Math.min(maxRows, waiting.length);
    const restMs = (overMs * writtenAtOnce) / rows;
    for (let left = rows; left > 0; left -= writtenAtOnce) {
      const batch = take(Math.min(left, writtenAtOnce));
      let isUnavailable = false;
      const unwritten = await store.add(batch).catch((error: unknown) => {
        onError(error);
        isUnavailable = isMongoUnavailable(error);
        return batch;
      });
      for (const row of unwritten) add({ ...row });
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
