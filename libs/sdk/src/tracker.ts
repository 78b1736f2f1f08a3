import { MarketingPlatformError } from './errors.ts';
import type { Resources } from './generated/resources.gen.ts';
import type { TrackEventsRequest } from './generated/types.gen.ts';

/** An event for LeadPulse, with a `visitor_id`, `contact_id`, `email` or `external_id`. */
export type TrackedEventInput = Omit<TrackEventsRequest['body'], 'event' | 'events'> & { event: string };

export type TrackOptions = {
  /** Events per request. Default: 100; the platform takes up to 1,000. */
  maxBatch?: number;
  /** Milliseconds an event waits for others. Default: 1,000. */
  maxWait?: number;
  /** Events kept in memory while the platform is unavailable; further ones are dropped. Default: 10,000. */
  maxQueue?: number;
  /** Called with events that were rejected, dropped or could not be sent. */
  onError?: (error: Error, events: TrackedEventInput[]) => void;
};

/** Collects events and sends them in batches, one after the other. */
export class Tracker {
  readonly #leadpulse: Resources['leadpulse'];
  readonly #options: Required<TrackOptions>;
  #queue: TrackedEventInput[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;

  constructor(
    leadpulse: Resources['leadpulse'],
    { maxBatch = 100, maxWait = 1_000, maxQueue = 10_000, onError = () => {} }: TrackOptions = {},
  ) {
    this.#leadpulse = leadpulse;
    this.#options = { maxBatch: Math.min(1_000, Math.max(1, maxBatch)), maxWait, maxQueue, onError };
  }

  /** The event keeps the time of this call, and an ID by which the platform recognises a duplicate. */
  add(event: TrackedEventInput): void {
    const { maxBatch, maxWait, maxQueue, onError } = this.#options;
    if (this.#queue.length >= maxQueue) {
      onError(new MarketingPlatformError(`Dropped, because ${maxQueue} events are already waiting.`), [event]);
      return;
    }
    this.#queue.push({ message_id: crypto.randomUUID(), timestamp: new Date().toISOString(), ...event });
    if (this.#queue.length >= maxBatch) this.#start();
    // The timer keeps the process running, so that its last events are sent.
    else this.#timer ??= setTimeout(() => this.#start(), maxWait);
  }

  /** Resolves when all events tracked before have been sent or reported to `onError`. */
  async flush(): Promise<void> {
    this.#start();
    await this.#sending;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#start();
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) await this.#send(this.#queue.splice(0, this.#options.maxBatch));
  }

  async #send(events: TrackedEventInput[]): Promise<void> {
    const { onError } = this.#options;
    try {
      const { results } = await this.#leadpulse.track({ events });
      for (const { index, status, code, message } of results) {
        const event = events[index];
        if (status === 'rejected' && event)
          onError(new MarketingPlatformError(`${code ?? 'rejected'}: ${message ?? 'The event is invalid.'}`), [event]);
      }
    } catch (error) {
      onError(error instanceof Error ? error : new MarketingPlatformError(String(error)), events);
    }
  }
}
