import { ConnectionError, errorFor, failureOf, TimeoutError } from './errors.ts';
import { delayBefore, isRetryable, pause, retryAfterOf } from './retry.ts';

export type ClientOptions = {
  /** An API key (`mp_live_…`) or an OAuth access token. */
  apiKey: string;
  /** The URL of the platform, such as `https://marketing.example.com`. */
  baseUrl: string;
  /** Milliseconds to wait for each response. Default: 60,000. */
  timeout?: number;
  /** Retries after a 429, a 5xx or a failed connection. Default: 3. */
  maxRetries?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
};

export type RequestOptions = {
  /** For a write. By default every call gets its own key, which its retries keep; pass one that survives a restart of your program. */
  idempotencyKey?: string;
  /** The `ETag` of the last read: the write fails with a `PreconditionFailedError` if the resource has changed since. */
  ifMatch?: string;
  /** Aborts the request, its retries and the waits between them. */
  signal?: AbortSignal;
  /** Overrides the client's `timeout` for this call. */
  timeout?: number;
  /** Overrides the client's `maxRetries` for this call. */
  maxRetries?: number;
  /** Added to the headers of the request. */
  headers?: Record<string, string>;
};

export type QueryValue = string | number | boolean | Date | undefined | null | readonly (string | number)[];
export type FileBody = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export type ApiRequest = {
  method: string;
  path: string;
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
  form?: object | undefined;
  file?: { body: FileBody; type: string } | undefined;
  /** The write takes an Idempotency-Key. */
  isWrite?: boolean;
  /** The operation takes no API key. */
  isPublic?: boolean;
};

const defaultTimeoutMs = 60_000;
const defaultMaxRetries = 3;
export const sdkVersion = '0.1.0';

/** One segment of a path. An empty one would make another path of it. */
export function segment(value: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') throw new TypeError('Pass a non-empty ID.');
  return encodeURIComponent(value);
}

const textOf = (value: Exclude<QueryValue, undefined | null>) =>
  value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(',') : String(value);

function urlOf(baseUrl: string, path: string, query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null) search.append(name, textOf(value));
  return `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`;
}

function bodyOf({ body, form, file }: ApiRequest): { body?: FileBody | URLSearchParams; type?: string } {
  if (file) return file;
  if (form) return { body: new URLSearchParams(Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]))) };
  return body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' };
}

/** Sends requests with retries. Runs wherever there are `fetch` and Web Crypto. */
export class Client {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    if (!options.apiKey) throw new TypeError('Pass an apiKey, which you create in the dashboard under Settings → API Keys.');
    if (!/^https?:\/\//i.test(options.baseUrl) || !URL.canParse(options.baseUrl))
      throw new TypeError('Pass the URL of your platform as baseUrl, such as https://marketing.example.com.');
    if (/\/v2\/*$/.test(options.baseUrl))
      throw new TypeError('Pass baseUrl without /v2, such as https://marketing.example.com. Methods add the path.');
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /** The `data` of a response, or all of it where it has no envelope. */
  async json<T>(request: ApiRequest, options?: RequestOptions): Promise<T> {
    const response = await this.response(request, options);
    const parsed: unknown = response.status === 204 || response.headers.get('content-length') === '0' ? undefined : await response.json();
    const data = typeof parsed === 'object' && parsed !== null && 'success' in parsed && 'data' in parsed ? parsed.data : parsed;
    // The generated type is what the OpenAPI document promises for this operation.
    return data as T;
  }

  async nothing(request: ApiRequest, options?: RequestOptions): Promise<void> {
    const response = await this.response(request, options);
    await response.body?.cancel();
  }

  /** A successful response, as soon as its headers are there. Throws an `ApiError` for any other. */
  async response(request: ApiRequest, options: RequestOptions = {}): Promise<Response> {
    const { signal } = options;
    const { body, type } = bodyOf(request);
    const headers = this.#headers(request, options, type);
    // A stream can be sent only once.
    const isStream = body instanceof ReadableStream;
    const maxRetries = isStream ? 0 : (options.maxRetries ?? this.#options.maxRetries ?? defaultMaxRetries);
    for (let retry = 1; ; retry++) {
      const outcome = await this.#attempt(urlOf(this.#baseUrl, request.path, request.query), options, {
        method: request.method,
        headers,
        ...(body !== undefined && { body }),
        ...(isStream && { duplex: 'half' }),
      });
      if (outcome instanceof Response && outcome.ok) return outcome;
      const retryAfter = outcome instanceof Response ? retryAfterOf(outcome.headers) : undefined;
      const error = outcome instanceof Response ? errorFor(await failureOf(outcome, retryAfter)) : outcome;
      const delay = delayBefore(retry, retryAfter);
      const worthIt = !('status' in error) || isRetryable(error.status, error.code);
      if (!worthIt || retry > maxRetries || delay === undefined) throw error;
      await pause(delay, signal);
    }
  }

  async #attempt(
    url: string,
    { signal, timeout = this.#options.timeout ?? defaultTimeoutMs }: RequestOptions,
    init: RequestInit & { duplex?: string },
  ) {
    const send = this.#options.fetch ?? fetch;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    try {
      // Ends with the headers: the body of a large download can take longer.
      return await send(url, { ...init, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
    } catch (cause) {
      signal?.throwIfAborted();
      if (late.signal.aborted) return new TimeoutError(`No response within ${timeout} ms from ${url}.`, { cause });
      return new ConnectionError(`Could not connect to ${new URL(url).origin}.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #headers(request: ApiRequest, options: RequestOptions, type: string | undefined): Headers {
    const headers = new Headers({ accept: 'application/json, */*;q=0.5', 'user-agent': `marketing-platform-sdk/${sdkVersion}` });
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...options.headers })) headers.set(name, value);
    if (!request.isPublic) headers.set('authorization', `Bearer ${this.#options.apiKey}`);
    if (type !== undefined) headers.set('content-type', type);
    if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch);
    if (request.isWrite) headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
    return headers;
  }
}

/** Where the generated classes get their requests sent. */
export class Resource {
  protected readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }
}
