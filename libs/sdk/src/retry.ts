/** A longer wait than this is for the caller to decide on: the error says it in `retryAfter`. */
const maxRetryAfterSeconds = 60;
const firstDelayMs = 500;
const maxDelayMs = 8_000;

/** `Retry-After` as seconds; it is a number of seconds or a date. */
export function retryAfterOf(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** A conflict of idempotency means that an earlier attempt is still being processed: its response is worth waiting for. */
export const isRetryable = (status: number, code: string) =>
  status === 408 || status === 429 || status >= 500 || code === 'IDEMPOTENCY_IN_PROGRESS';

/** Milliseconds before the retry, or undefined if the platform asks for a longer wait than a caller would expect. */
export function delayBefore(retry: number, retryAfter: number | undefined, random = Math.random): number | undefined {
  if (retryAfter !== undefined && retryAfter > maxRetryAfterSeconds) return undefined;
  const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** (retry - 1));
  const jittered = backoff * (0.5 + random() / 2);
  return retryAfter === undefined ? jittered : retryAfter * 1_000 + random() * firstDelayMs;
}

/** Rejects with the reason of the signal as soon as it aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
