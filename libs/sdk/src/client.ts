import { ApiError } from './errors.ts';
import { type Exchange, exchange, type Outcome, openExchange } from './exchange.ts';
import { isJson } from './is-json.ts';
import { delayBefore, isRetryable, pause } from './retry.ts';

export type ClientOptions = {
  /** An API key (`mp_live_…`) or an OAuth access token. */
  apiKey: string;
  /** The URL of the platform, such as `https://marketing.example.com`. */
  baseUrl: string;
  /** Milliseconds for each response to be complete; of a file or a stream, for its next part. Default: 60,000. */
  timeout?: number;
  /** Retries after a 429, a 5xx, a failed connection or an incomplete response. Default: 3. */
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
/** A query in which these parameters also take a `Date`. */
export type WithDates<Query, Names> = { [Name in keyof Query]: Name extends Names ? Query[Name] | Date : Query[Name] };

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
  json<T>(request: ApiRequest, options?: RequestOptions): Promise<T> {
    return this.#retried(request, options, (one) =>
      exchange(one, async (response) => {
        const text = await response.text();
        const parsed: unknown = text === '' && !isJson(response) ? undefined : JSON.parse(text);
        const data = typeof parsed === 'object' && parsed !== null && 'success' in parsed && 'data' in parsed ? parsed.data : parsed;
        // The generated type is what the OpenAPI document promises for this operation.
        return data as T;
      }),
    );
  }

  nothing(request: ApiRequest, options?: RequestOptions): Promise<void> {
    return this.#retried(request, options, (one) => exchange(one, async (response) => response.body?.cancel()));
  }

  /** A successful response, as soon as its headers are there: for files and streams. Reading its body has the errors of this package. */
  response(request: ApiRequest, options?: RequestOptions): Promise<Response> {
    return this.#retried(request, options, openExchange);
  }

  async #retried<T>(request: ApiRequest, options: RequestOptions = {}, attempt: (exchange: Exchange) => Promise<Outcome<T>>): Promise<T> {
    const { signal, timeout = this.#options.timeout ?? defaultTimeoutMs } = options;
    const { body, type } = bodyOf(request);
    const headers = this.#headers(request, options, type);
    // A stream can be sent only once.
    const isStream = body instanceof ReadableStream;
    const maxRetries = isStream ? 0 : (options.maxRetries ?? this.#options.maxRetries ?? defaultMaxRetries);
    const url = urlOf(this.#baseUrl, request.path, request.query);
    const init = { method: request.method, headers, ...(body !== undefined && { body }), ...(isStream && { duplex: 'half' as const }) };
    for (let retry = 1; ; retry++) {
      const outcome = await attempt({ url, init, timeout, signal, send: this.#options.fetch ?? fetch });
      if ('value' in outcome) return outcome.value;
      const { error, isCut } = outcome;
      error.idempotencyKey = headers.get('idempotency-key') ?? undefined;
      const delay = delayBefore(retry, error instanceof ApiError ? error.retryAfter : undefined);
      const worthIt = isCut || !(error instanceof ApiError) || isRetryable(error.status, error.code);
      if (!worthIt || retry > maxRetries || delay === undefined) throw error;
      await pause(delay, signal);
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
