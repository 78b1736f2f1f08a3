/** Larger reads would delay the first callers. */
const maxBatch = 500;

/**
 * Batches reads by id: ids requested during a read are fetched together by the next one. An idle process reads immediately; a busy
 * one makes one round trip for hundreds of ids. A caller never gets a result that was read before its request.
 */
export function findTogether<T, Key extends string = string>(read: (ids: Key[]) => Promise<ReadonlyMap<Key, T>>, atOnce = maxBatch) {
  const waiting = new Map<Key, PromiseWithResolvers<T | undefined>>();
  let reading = false;

  async function drain() {
    reading = true;
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, atOnce);
      for (const [id] of batch) waiting.delete(id);
      try {
        const found = await read(batch.map(([id]) => id));
        for (const [id, { resolve }] of batch) resolve(found.get(id));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    reading = false;
  }

  return (id: Key): Promise<T | undefined> => {
    const asked = waiting.get(id) ?? Promise.withResolvers<T | undefined>();
    waiting.set(id, asked);
    if (!reading) void drain();
    return asked.promise;
  };
}
