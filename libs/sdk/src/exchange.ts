import { ConnectionError, errorFor, failureOf, type MarketingPlatformError, TimeoutError } from './errors.ts';
import { retryAfterOf } from './retry.ts';

export type Exchange = {
  url: string;
  init: RequestInit;
  /** Milliseconds for the whole exchange; once a body is read in parts, until its next part. */
  timeout: number;
  signal: AbortSignal | undefined;
  send: typeof fetch;
};

/** With `isCut`, the error is only what arrived of a response. */
export type Outcome<T> = { value: T } | { error: MarketingPlatformError; isCut?: boolean | undefined };

/**
 * Sends a request once and reads its response. Everything that can go wrong until the last byte is an outcome with an error of this
 * package; only an aborted `signal` throws.
 */
export async function exchange<T>(request: Exchange, read: (response: Response) => Promise<T>): Promise<Outcome<T>> {
  const limits = limitsOf(request);
  try {
    const response = await limits.send();
    return response.ok ? { value: await read(response) } : await limits.failed(response);
  } catch (cause) {
    return { error: limits.errorOf(cause) };
  } finally {
    limits.end();
  }
}

/** As `exchange`, for a body that is too large to wait for: the response is there with its headers, and its body has the same errors. */
export async function openExchange(request: Exchange): Promise<Outcome<Response>> {
  const limits = limitsOf(request);
  try {
    const response = await limits.send();
    if (response.ok && response.body) return { value: new Response(guarded(response.body, limits), response) };
    const outcome = response.ok ? { value: response } : await limits.failed(response);
    limits.end();
    return outcome;
  } catch (cause) {
    limits.end();
    return { error: limits.errorOf(cause) };
  }
}

type Limits = ReturnType<typeof limitsOf>;

function limitsOf({ url, init, timeout, signal, send }: Exchange) {
  const late = new AbortController();
  let timer = setTimeout(() => late.abort(), timeout);
  let hasBegun = false;
  const { origin } = new URL(url);
  return {
    async send() {
      const response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
      hasBegun = true;
      return response;
    },
    again() {
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(), timeout);
    },
    end: () => clearTimeout(timer),
    /** The error that a response describes. Throws the reason of the caller's signal if that has cut it off. */
    async failed(response: Response) {
      const failure = await failureOf(response, retryAfterOf(response.headers));
      if (failure.isCut) signal?.throwIfAborted();
      return { error: errorFor(failure), isCut: failure.isCut };
    },
    /** Throws the reason of the caller's signal if that was the cause. */
    errorOf(cause: unknown): ConnectionError {
      signal?.throwIfAborted();
      if (late.signal.aborted)
        return new TimeoutError(`${hasBegun ? 'No complete response' : 'No response'} within ${timeout} ms from ${url}.`, { cause });
      if (!hasBegun) return new ConnectionError(`Could not connect to ${origin}.`, { cause });
      const isWhole = cause instanceof SyntaxError;
      return new ConnectionError(`The response from ${origin} ${isWhole ? 'is not complete JSON' : 'ended early'}.`, { cause });
    },
  };
}

function guarded(body: ReadableStream<Uint8Array>, limits: Limits): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        limits.again();
        const { done, value } = await reader.read();
        // While nobody reads, there is no limit.
        limits.end();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        limits.end();
        throw limits.errorOf(cause);
      }
    },
    async cancel(reason) {
      limits.end();
      await reader.cancel(reason);
    },
  });
}
