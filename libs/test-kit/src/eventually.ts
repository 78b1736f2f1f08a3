/**
 * Asks again until the answer is there: for effects that arrive by an event of their own. The limit is only there to end
 * what hangs: a busy machine may stand nearly still for many seconds.
 */
export async function eventually<T>(ask: () => Promise<T | undefined | false>, ms = 30_000): Promise<T> {
  const giveUpAt = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > giveUpAt) throw new Error(`It did not come true within ${ms} ms: ${ask.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
