import type { Scope } from '@mp/contracts/permissions';
import type { Background } from '@mp/service-kit/parts';
import type { ShareOf, UsageSharesStore } from './usage-shares-store.ts';

export type UsageShares = ReturnType<typeof createUsageShares>;

const flushMs = 1_000;

/** What a request is for, as the usage tells it apart: the scope its route names. */
export const routeClassOf = (scope: Scope | null) => scope ?? 'none';

type Counted = { account_id: string; date: string; of: ShareOf; name: string; requests: number };

/**
 * Whose the day's requests were and what for, counted in memory and written once a second. The sum of the day is
 * counted elsewhere and exact; a gateway that dies forgets the last second of this.
 */
export function createUsageShares({ shares, onError }: { shares: Pick<UsageSharesStore, 'add'>; onError: (error: unknown) => void }) {
  let counted = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;

  function add(account_id: string, date: string, of: ShareOf, name: string, requests: number) {
    const key = `${date}${account_id}${name}`;
    const share = counted.get(key);
    if (share) share.requests += requests;
    else counted.set(key, { account_id, date, of, name, requests });
  }

  async function flush() {
    const batch = [...counted.values()];
    counted = new Map();
    const unwritten = await shares.add(batch).catch((error: unknown) => {
      onError(error);
      return batch;
    });
    for (const { account_id, date, of, name, requests } of unwritten) add(account_id, date, of, name, requests);
  }

  const background: Background = {
    start() {
      timer = setInterval(() => void flush(), flushMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
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
