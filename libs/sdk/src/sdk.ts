import { type ApiRequest, Client, type ClientOptions, type RequestOptions } from './client.ts';
import { Resources } from './generated/resources.gen.ts';
import { type TrackedEventInput, Tracker, type TrackOptions } from './tracker.ts';

export type MarketingPlatformOptions = ClientOptions & {
  /** How `track` collects events into batches. */
  tracking?: TrackOptions;
};

/**
 * The client of a marketing platform. Every operation of its API is a method, such as `mp.contacts.create`.
 *
 * ```ts
 * const mp = new MarketingPlatform({ apiKey: process.env.MP_API_KEY, baseUrl: 'https://marketing.example.com' });
 * const contact = await mp.contacts.create({ email: 'ada@example.com' });
 * ```
 */
export class MarketingPlatform extends Resources {
  readonly #tracker: Tracker;

  constructor({ tracking, ...options }: MarketingPlatformOptions) {
    super(new Client(options));
    this.#tracker = new Tracker(this.leadpulse, tracking);
  }

  /** Sends an event to LeadPulse in a batch, a moment later. Errors go to `tracking.onError`; `flush` waits for the batches. */
  track(event: TrackedEventInput): void {
    this.#tracker.add(event);
  }

  /** Resolves when all tracked events have been sent. Call it before a serverless function returns. */
  flush(): Promise<void> {
    return this.#tracker.flush();
  }

  /** Calls an operation that this version has no method for: the `data` of its response. */
  request<T = unknown>(request: ApiRequest, options?: RequestOptions): Promise<T> {
    return this.client.json<T>(request, options);
  }

  /** The same as `request`, but the response itself, for a body that is not JSON. */
  requestRaw(request: ApiRequest, options?: RequestOptions): Promise<Response> {
    return this.client.response(request, options);
  }
}

export type { ApiRequest, ClientOptions, FileBody, RequestOptions } from './client.ts';
// biome-ignore lint/performance/noBarrelFile: the only entry of a published package
export * from './errors.ts';
export { Webhooks } from './generated/resources.gen.ts';
export type * from './generated/types.gen.ts';
export { List, type Page } from './list.ts';
export type { TrackedEventInput, TrackOptions } from './tracker.ts';
export type { WebhookBatch, WebhookEvent, WebhookEventSelector } from './webhook-event.ts';
export type { ListenOptions } from './webhook-stream.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhook-verification.ts';
