import { patienceMs } from './patience.ts';

/** Repeats `attempt` until it returns a result, for effects of events. The limit only ends a test that hangs. */
export async function eventually<T>(attempt: () => Promise<T | undefined | false>, ms = patienceMs): Promise<T> {
  const limitMs = Math.max(ms, patienceMs);
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const result = await attempt();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > giveUpAt) throw new Error(`No result within ${limitMs} ms: ${attempt.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
