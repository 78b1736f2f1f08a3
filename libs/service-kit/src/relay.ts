import { type Lane, laneOfSubject, lanes, subjectIn } from '@mp/contracts/lanes';
import type { AccountPositions } from './account-positions.ts';
import type { Broker } from './broker.ts';
import type { Logger } from './logger.ts';
import type { Outbox } from './outbox.ts';
import { eventCount, laneOf, type OutboxEvent, type OutboxRow } from './outbox-row.ts';
import { createRunner } from './runner.ts';
import type { StreamWatch } from './stream-watch.ts';
import { inSpan, isTracing, messaging } from './traces.ts';

type RelayParts = {
  outbox: Outbox;
  broker: Broker;
  logger: Logger;
  onPublished?: (count: number) => void;
  /** Watches the stream that the events go to. */
  streamWatch?: StreamWatch | undefined;
  positions?: AccountPositions | undefined;
};

/** A batch of bulk events is small, so that live ones, which are published beside it, do not wait for its acks. */
const eventsAtOnce = { live: 500, bulk: 200 };

/** Longer than everything that an envelope has before its data. */
const maxHeadLength = 1_000;

/** How soon the relay publishes events that another process wrote and did not publish, because it stopped. */
const sweepMs = 1_000;

/**
 * Publishes events from the outbox in the order they were written, each lane by itself, at least once: a row is marked only after the
 * stream's ack. Several relays may run; the stream deduplicates by message id. A missing stream is created, and the events it lost
 * are published again.
 */
export function createRelay({ outbox, broker, logger, onPublished, streamWatch, positions }: RelayParts) {
  /** Publishes one batch. Returns whether there may be more. */
  async function publishBatch(lane: Lane): Promise<boolean> {
    await streamWatch?.lookWhenDue();
    const rows = await outbox.pending(lane, eventsAtOnce[lane]);
    if (rows.length === 0) return false;
    const before = streamWatch?.known();
    const results = await Promise.allSettled(rows.map(publishRow));
    const acknowledged = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (before) streamWatch?.acknowledged(acknowledged, before);
    if (streamWatch) await positions?.record(streamWatch.epoch(), acknowledged);
    const published = rows.filter((_, index) => results[index]?.status === 'fulfilled');
    if (published.length > 0) await outbox.markPublished(published.map(({ _id }) => _id));
    onPublished?.(eventCount(published));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) {
      streamWatch?.soon();
      throw failed.reason;
    }
    return eventCount(rows) >= eventsAtOnce[lane];
  }

  const publishRow = (row: OutboxRow) => Promise.all(row.events.map((event) => publishIn(laneOf(row), event)));

  async function publishIn(lane: Lane, event: OutboxEvent) {
    const subject = subjectIn(lane, event.subject);
    const acknowledged = await (isTracing() ? publishTraced : publish)({ ...event, subject });
    return { ...acknowledged, id: event.id, accountId: event.account_id, lane: laneOfSubject(subject) };
  }

  const publish = ({ id, subject, envelope }: OutboxEvent) => broker.publish(subject, envelope, id);

  /** In the trace of the change that wrote the event. */
  function publishTraced(event: OutboxEvent) {
    // The field is before the data of the event.
    const parent = /"traceparent":"([^"]+)"/.exec(event.envelope.slice(0, maxHeadLength))?.[1];
    if (parent === undefined) return publish(event);
    const attributes = messaging('publish', event.subject, event.id);
    return inSpan(`publish ${event.subject}`, { kind: 'producer', parent, attributes }, () => publish(event));
  }

  const warning = 'events wait in the outbox';
  const runners = lanes.map((lane) => createRunner({ logger, warning, lookEveryMs: sweepMs, work: () => publishBatch(lane) }));
  for (const { wake } of runners) outbox.onAdded(wake);

  return {
    /** Starts once NATS is connected; never, if the broker is stopped before that. */
    start() {
      void broker.connected().then(
        () => {
          for (const runner of runners) runner.start();
        },
        () => undefined,
      );
    },

    /** Stops after a last attempt to publish pending events. */
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
      if (!broker.ready()) return;
      for (const lane of lanes)
        await publishBatch(lane).catch((error: unknown) => logger.warn({ err: error }, 'events stay in the outbox until the next start'));
    },
  };
}
