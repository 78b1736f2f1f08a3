/** Exponential backoff with full jitter, in milliseconds: a random delay up to `first · 2^attempt`, at most `max`. */
export const backoff = (attempt: number, first: number, max: number) => Math.random() * Math.min(max, first * 2 ** attempt);

/** Waits for `ms` milliseconds or until the signal aborts. Never rejects. */
export const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
