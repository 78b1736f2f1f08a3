/**
 * Asks until the result is there: for effects that arrive by an event. The limit only ends what hangs. A busy machine may
 * stand nearly still for many seconds, and an event that was on its way to a service that just stopped comes again after 30.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, ms = 90_000): Promise<T> {
  const giveUpAt = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > giveUpAt) throw new Error(`It did not come true within ${ms} ms: ${ask.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
