import type { ServerResponse } from 'node:http';

/**
 * The answers that are under way. In places that are used again and not in a Set: what was in a table that a Set has
 * outgrown is kept alive by it until the next full collection, and each collection of young objects then takes six
 * times as long, in which nobody is answered.
 */
export function createInWork() {
  const places: (ServerResponse | undefined)[] = [];
  const free: number[] = [];
  return {
    /** Answers how to take it out again. */
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
