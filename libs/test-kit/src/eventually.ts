/**
 * Repeats `ask` until it returns a result, for effects of events. The time limit is only for tests that hang: a busy machine may
 * stall for many seconds, and an event that was on its way to a stopped service is redelivered after 30.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, ms = 90_000): Promise<T> {
  const giveUpAt = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > giveUpAt) throw new Error(`No result within ${ms} ms: ${ask.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
