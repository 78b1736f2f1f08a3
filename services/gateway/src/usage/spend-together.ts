import type { UsageStore } from './usage-store.ts';

type Waiting = { resolve: (used: number | undefined) => void; reject: (error: unknown) => void };

/**
 * Requests of one account that come while the last count is on its way are counted together by the next one. A quiet
 * account pays one update per request and waits for nothing; a busy one pays one per round trip, and its counter does
 * not become a row that everybody fights for. Nothing is taken in advance, so nothing can be left over elsewhere.
 */
export function spendTogether(usage: Pick<UsageStore, 'spend'>) {
  const queues = new Map<string, Waiting[]>();

  async function drain(key: string, waiting: Waiting[], accountId: string, date: string, limit: number) {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        const { granted, used } = await usage.spend(accountId, date, limit, batch.length);
        for (const [index, { resolve }] of batch.entries()) resolve(index < granted ? used - granted + index + 1 : undefined);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(key);
  }

  /** How many are used with this one, or undefined when the day is spent. */
  return (accountId: string, date: string, limit: number): Promise<number | undefined> => {
    const key = `${accountId}:${date}:${limit}`;
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const queue = queues.get(key);
    if (queue) queue.push({ resolve, reject });
    else {
      const waiting: Waiting[] = [{ resolve, reject }];
      queues.set(key, waiting);
      void drain(key, waiting, accountId, date, limit);
    }
    return promise;
  };
}
