import { backoff, pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';
import type { Outbox } from './outbox.ts';

export type Relay = ReturnType<typeof createRelay>;

type RelayParts = { outbox: Outbox; broker: Broker; logger: Logger; onPublished?: (count: number) => void };

const batchSize = 500;

/** How soon the relay finds what another process wrote and did not publish, because it died. */
const sweepMs = 1_000;

/**
 * Carries events from the outbox to the broker, in the order they were written, each at least once: it marks a row only
 * after the stream's ack. Several relays may run; the message id makes the stream keep one.
 */
export function createRelay({ outbox, broker, logger, onPublished }: RelayParts) {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();
  outbox.onAdded(() => nap.abort());

  /** Publishes one batch. Returns whether there may be more. */
  async function publishBatch(): Promise<boolean> {
    const rows = await outbox.pending(batchSize);
    if (rows.length === 0) return false;
    const results = await Promise.allSettled(rows.map((row) => broker.publish(row.subject, JSON.stringify(row.envelope), row._id)));
    const published = rows.filter((_, index) => results[index]?.status === 'fulfilled').map((row) => row._id);
    if (published.length > 0) await outbox.markPublished(published);
    onPublished?.(published.length);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return rows.length === batchSize;
  }

  async function run() {
    await broker.connected();
    for (let failures = 0; !stopping.signal.aborted; ) {
      nap = new AbortController();
      try {
        const more = await publishBatch();
        failures = 0;
        if (!more) await pause(sweepMs, AbortSignal.any([nap.signal, stopping.signal]));
      } catch (error) {
        if (failures % 10 === 0) logger.warn({ err: error }, 'events wait in the outbox');
        await pause(backoff(failures, 100, 2_000), stopping.signal);
        failures += 1;
      }
    }
  }

  return {
    start() {
      running = run().catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
    },

    /** Stops after a last attempt to publish what is written. */
    async stop() {
      stopping.abort();
      await running;
      if (broker.ready())
        await publishBatch().catch((error: unknown) => logger.warn({ err: error }, 'events wait in the outbox for the next start'));
    },
  };
}
