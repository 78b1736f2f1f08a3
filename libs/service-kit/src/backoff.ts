/** Exponential backoff with full jitter, in milliseconds: a random delay up to `first · 2^attempt`, at most `most`. */
export const backoff = (attempt: number, first: number, most: number) => Math.random() * Math.min(most, first * 2 ** attempt);

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
