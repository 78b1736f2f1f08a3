export type SlowReaders = ReturnType<typeof createSlowReaders>;

/** A response that waits for its client to read, and blocks a connection. */
type Paused = { caller: string; abort: () => void };

/**
 * The responses of one service whose clients do not read. They are harmless while connections are free. When a request has
 * to wait for one, all except `maxKept` are aborted: first those of the caller with the most, and of these the oldest.
 */
export function createSlowReaders(maxKept: number) {
  // In the order in which they were paused.
  const paused = new Set<Paused>();

  function worst(): Paused | undefined {
    const byCaller = new Map<string, { first: Paused; count: number }>();
    for (const each of paused) {
      const known = byCaller.get(each.caller);
      if (known) known.count += 1;
      else byCaller.set(each.caller, { first: each, count: 1 });
    }
    return [...byCaller.values()].toSorted((a, b) => b.count - a.count)[0]?.first;
  }

  return {
    /** Adds a paused response. Returns a function to call when it resumes or ends. */
    add(entry: Paused): () => void {
      paused.add(entry);
      return () => void paused.delete(entry);
    },

    /** Called when a request has to wait for a connection. */
    makeRoom() {
      while (paused.size > maxKept) {
        const entry = worst();
        if (!entry) return;
        paused.delete(entry);
        entry.abort();
      }
    },
  };
}
