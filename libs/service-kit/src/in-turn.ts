/** Runs work one after the other for each name, in the order of the calls. */
export function createInTurn() {
  const latest = new Map<string, Promise<void>>();
  return async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = latest.get(name);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    latest.set(name, over);
    await before;
    try {
      return await work();
    } finally {
      resolve();
      if (latest.get(name) === over) latest.delete(name);
    }
  };
}
