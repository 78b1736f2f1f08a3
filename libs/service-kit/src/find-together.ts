/** More than this in one read would make it slow for the first in it. */
const mostAtOnce = 500;

/**
 * Reads by id, together: what is asked while one read is under way is asked by the next. A quiet process reads at once; a
 * busy one pays one round trip for hundreds of keys. Nobody gets what was read before they asked.
 */
export function findTogether<T>(read: (ids: string[]) => Promise<ReadonlyMap<string, T>>, atOnce = mostAtOnce) {
  const waiting = new Map<string, PromiseWithResolvers<T | undefined>>();
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

  return (id: string): Promise<T | undefined> => {
    const asked = waiting.get(id) ?? Promise.withResolvers<T | undefined>();
    waiting.set(id, asked);
    if (!reading) void drain();
    return asked.promise;
  };
}
