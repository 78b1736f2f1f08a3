export type SlowReaders = ReturnType<typeof createSlowReaders>;

/** A response that waits for its client to read on, and with it a connection. */
type Paused = { caller: string; abort: () => void };

/**
 * The responses of one service whose clients stand still. They hurt nobody while connections are free; when others wait for
 * one, all but `keptMax` are aborted: first those of the caller that has the most, and of these the one that has stood still
 * the longest.
 */
export function createSlowReaders(keptMax: number) {
  // In the order in which they stood still.
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
    /** This response stands still. Returns what to call when it goes on or ends. */
    add(entry: Paused): () => void {
      paused.add(entry);
      return () => void paused.delete(entry);
    },

    /** Called when a request has to wait for a connection. */
    makeRoom() {
      while (paused.size > keptMax) {
        const entry = worst();
        if (!entry) return;
        paused.delete(entry);
        entry.abort();
      }
    },
  };
}
