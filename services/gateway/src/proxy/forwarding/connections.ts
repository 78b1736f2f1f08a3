export type Connections = ReturnType<typeof createConnections>;

/** A caller may hold this many times the connections that are free: three quarters of all, while nobody else holds any. */
const maxTimesFree = 3;

/**
 * The connections to one service. However many slow requests a caller has, some connections stay free for the others: the more
 * callers there are, the smaller is what each may hold. Requests beyond that wait, and callers take turns.
 */
export function createConnections(max: number) {
  const held = new Map<string, number>();
  /** Ordered by the next turn of each caller. */
  const waiting = new Map<string, Set<() => void>>();
  let free = max;
  let queued = 0;

  const mayTake = (caller: string) => (held.get(caller) ?? 0) < maxTimesFree * free;

  function take(caller: string, send: () => void) {
    free -= 1;
    held.set(caller, (held.get(caller) ?? 0) + 1);
    send();
  }

  function wait(caller: string, send: () => void): () => void {
    const own = waiting.get(caller) ?? new Set();
    waiting.set(caller, own.add(send));
    queued += 1;
    return () => {
      if (!own.delete(send)) return;
      queued -= 1;
      if (own.size === 0) waiting.delete(caller);
    };
  }

  function sendWaiting() {
    for (const [caller, own] of waiting) {
      const [first] = own;
      if (first === undefined || !mayTake(caller)) continue;
      own.delete(first);
      queued -= 1;
      // The next turn of this caller comes after those of the others, later in this loop.
      waiting.delete(caller);
      if (own.size > 0) waiting.set(caller, own);
      take(caller, first);
    }
  }

  return {
    /** Calls `send` now and returns nothing, or later and returns a function that leaves the queue. */
    enter(caller: string, send: () => void): (() => void) | undefined {
      if (!mayTake(caller)) return wait(caller, send);
      take(caller, send);
      return undefined;
    },

    /** Called once for each request that was sent, when it has ended. */
    release(caller: string) {
      free += 1;
      const left = (held.get(caller) ?? 1) - 1;
      if (left > 0) held.set(caller, left);
      else held.delete(caller);
      if (queued > 0) sendWaiting();
    },

    waiting: () => queued,
  };
}
