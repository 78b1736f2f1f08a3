/**
 * Combines many small writes into few large ones: items that arrive while `atOnce` writes run go into the next batch. Each
 * caller gets the result of its item, or the error of its batch.
 */
export function inBatches<Item, Result>(
  write: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { largest = 100, atOnce = 1 } = {},
) {
  let queued: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  let writing = 0;

  async function drain() {
    writing += 1;
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
    writing -= 1;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queued.push({ item, resolve, reject });
      if (writing < atOnce) void drain();
    });
}
