/**
 * Runs work one after the other for each name, in the order of the calls. Work with several names takes its place behind all of them
 * at once, so two cannot wait for each other.
 */
export function createInTurn() {
  const latest = new Map<string, Promise<void>>();
  return async function inTurn<Result>(names: string | readonly string[], work: () => Promise<Result>): Promise<Result> {
    const own = typeof names === 'string' ? [names] : names;
    const before = own.map((name) => latest.get(name));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    for (const name of own) latest.set(name, over);
    await Promise.all(before);
    try {
      return await work();
    } finally {
      resolve();
      for (const name of own) if (latest.get(name) === over) latest.delete(name);
    }
  };
}
