import type { ServerResponse } from 'node:http';

/**
 * The in-flight responses. Kept in reused slots rather than a Set: a Set that has grown keeps the entries of its old table
 * alive until the next full collection, which makes each minor collection six times as long and pauses all requests.
 */
export function createInFlight() {
  const places: (ServerResponse | undefined)[] = [];
  const free: number[] = [];
  return {
    /** Returns a function that removes the response. */
    add(res: ServerResponse): () => void {
      const place = free.pop() ?? places.length;
      places[place] = res;
      return () => {
        places[place] = undefined;
        free.push(place);
      };
    },

    *[Symbol.iterator]() {
      for (const res of places) if (res) yield res;
    },
  };
}
