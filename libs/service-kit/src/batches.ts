import { pause } from './backoff.ts';

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

type BatchLimits = {
  maxItems?: number;
  maxConcurrent?: number;
  /** The time from the beginning of a batch to that of the next one, unless this is full before. */
  everyMs?: number;
};

/**
 * Combines many small calls into few large ones: items that arrive while `maxConcurrent` batches run go into the next one. Each
 * caller gets the result of its item, or the error of its batch. An idle batcher runs at once.
 */
export function createBatcher<Item, Result>(
  run: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { maxItems = 100, maxConcurrent = 1, everyMs = 0 }: BatchLimits = {},
) {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let resting = new AbortController();

  async function drain() {
    running += 1;
    while (waiting.length > 0) {
      const began = performance.now();
      const batch = waiting.splice(0, maxItems);
      try {
        const resultOf = await run(batch.map(({ item }) => item));
        for (const { item, resolve } of batch) resolve(resultOf(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      const restMs = began + everyMs - performance.now();
      if (restMs <= 0 || waiting.length >= maxItems) continue;
      resting = new AbortController();
      await pause(restMs, resting.signal);
    }
    running -= 1;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running < maxConcurrent) void drain();
      else if (waiting.length >= maxItems) resting.abort();
    });
}

/** Larger reads would delay the first callers. */
const maxIdsPerRead = 500;

/**
 * Batches reads by ID: an idle process reads immediately, and a busy one makes one round trip for hundreds of IDs. A caller never
 * gets a result that was read before its call.
 */
export const createBatchLoader = <T, Key extends string = string>(
  read: (ids: Key[]) => Promise<ReadonlyMap<Key, T>>,
  maxIds = maxIdsPerRead,
) =>
  createBatcher<Key, T | undefined>(
    async (ids) => {
      const found = await read([...new Set(ids)]);
      return (id) => found.get(id);
    },
    { maxItems: maxIds },
  );
