/**
 * Writes many small things in few large writes: what is asked for while one write runs goes into the next. Each asker
 * gets its own result, or the error of its batch.
 */
export function inBatches<Item, Result>(write: (items: readonly Item[]) => Promise<(item: Item) => Result>, largest = 100) {
  let queued: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let writing = false;

  async function drain() {
    writing = true;
    while (queued.length > 0) {
      const batch = queued.slice(0, largest);
      queued = queued.slice(largest);
      try {
        const resultOf = await write(batch.map(({ item }) => item));
        for (const { item, resolve } of batch) resolve(resultOf(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queued.push({ item, resolve, reject });
      if (!writing) void drain();
    });
}
