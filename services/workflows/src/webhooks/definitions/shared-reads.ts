/**
 * Reads for many callers at once. A call waits for the next read, never for one that has begun, so its value is at least as new as the
 * call. Reads follow one another, each for all keys that were asked for meanwhile.
 */
export function createSharedReads<Key, Value>(read: (keys: readonly Key[]) => Promise<(key: Key) => Value>) {
  let next: { keys: Set<Key>; read: Promise<(key: Key) => Value> } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function begin() {
    const keys = new Set<Key>();
    const own = last.then(() => {
      next = undefined;
      return read([...keys]);
    });
    last = own.catch(() => undefined);
    return { keys, read: own };
  }

  return async (key: Key): Promise<Value> => {
    next ??= begin();
    next.keys.add(key);
    return (await next.read)(key);
  };
}
