import { EventEnvelope, type EventType } from '@mp/contracts/event';
import { type Lane, laneFilters } from '@mp/contracts/lanes';
import type { StreamDefinition } from '@mp/contracts/streams';
import type { AccountId } from '@mp/ids';
import type { JsMsg } from '@nats-io/jetstream';
import type { z } from 'zod';
import { backoff } from './backoff.ts';
import type { Broker } from './broker.ts';
import { createConsumerProgress } from './consumer-progress.ts';
import { type AttemptLimits, createDeadLetters } from './dead-letters.ts';
import { createEventGroups, type Reaction } from './event-groups.ts';
import { createFailureLog } from './failure-log.ts';
import { withLogContext } from './log-context.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { isUnavailable, type Mongo, type Transaction } from './mongo.ts';
import { createEventPuller } from './pull-events.ts';
import { createRetries, defaultPatience } from './retry-while-unavailable.ts';
import { inSpan, messaging, traceIdOf } from './traces.ts';

/** Applies one type of event. All writes must go through the transaction. */
export type EventHandler = Reaction & {
  event: EventType;
  /** Checked before the transaction: an event that is not relevant is acknowledged without one. */
  isRelevant?: (event: EventEnvelope) => Promise<boolean>;
};

/** Pairs an event type with its reaction. The data is parsed with the event's schema first. */
export const on = <Data extends z.ZodType>(
  event: EventType<Data>,
  react: (tx: Transaction, event: EventEnvelope<z.output<Data>>) => Promise<void>,
): EventHandler => ({
  event,
  react: (tx, envelope) => react(tx, { ...envelope, data: event.data.parse(envelope.data) }),
});

/**
 * Pairs an event type with a reaction to many events at once, each of another contact. It must have the effect that they have one
 * by one, with one read and one write to each collection, and must not ask other services. An event that it writes names the event of
 * the same contact as its cause; one that names no contact of the group is written through `causedBy`.
 */
export const onAll = <Data extends z.ZodType>(
  event: EventType<Data>,
  reactAll: (tx: Transaction, events: readonly EventEnvelope<z.output<Data>>[]) => Promise<void>,
): EventHandler => {
  const parse = (envelope: EventEnvelope) => ({ ...envelope, data: event.data.parse(envelope.data) });
  return {
    event,
    react: (tx, envelope) => reactAll(tx, [parse(envelope)]),
    reactAll: (tx, envelopes) => reactAll(tx, envelopes.map(parse)),
  };
};

type ConsumerConfig = Partial<AttemptLimits> & {
  /** Durable name, shared by all replicas; the inbox records applied events under it. */
  name: string;
  stream: StreamDefinition;
  filter: string;
  handlers: readonly EventHandler[];
  /** How many events this process applies concurrently in transactions of their own. Each replica has its own limit. */
  concurrency?: number;
};

type Parts = {
  mongo: Mongo;
  broker: Broker;
  logger: Logger;
  metrics?: Pick<Metrics, 'events'>;
  /** CONSUMER_CONCURRENCY. */
  consumerConcurrency?: number;
  /** Events of these accounts are acknowledged without effect. */
  erasedAccounts?: { has: (accountId: AccountId) => boolean };
};

/** The durable consumer of one lane. */
export type Reader = { lane: Lane; durable: string; filter: string };

export type Consumer = ReturnType<typeof createConsumer>;

/** Two groups at once, of which one at most is of the bulk lane, so that a live event finds a slot. */
const groups = { maxEvents: 200, atOnce: 2 };

/** How many events of a lane a consumer that applies groups reads ahead, so that groups fill and accounts take turns. */
const readAhead = 2_000;

const defaultDelay = (attempt: number) => 100 + backoff(attempt, 250, 30_000);

/**
 * Consumes a stream through a shared durable consumer.
 *
 * Each event takes effect exactly once, alone or in a group (event-groups.ts). Events of one contact may arrive out of order, or
 * concurrently in several processes, so reactions must guard by revision. An event that cannot be parsed is dead-lettered immediately, one that fails after `maxAttempts` attempts. While MongoDB or NATS is
 * unavailable, events are held indefinitely; while another service that a reaction needs is unavailable, they are redelivered for hours.
 */
export function createConsumer(
  { mongo, broker, logger, metrics, consumerConcurrency = 64, erasedAccounts }: Parts,
  {
    name,
    stream,
    filter,
    handlers,
    concurrency = consumerConcurrency,
    retryDelay = defaultDelay,
    patience = defaultPatience,
    ...limits
  }: ConsumerConfig,
) {
  const byType = new Map(handlers.map((handler) => [`${handler.event.type}.v${handler.event.version}`, handler]));
  const alone = createEventGroups({ mongo, name }, { maxEvents: 1, atOnce: concurrency });
  const together = createEventGroups({ mongo, name }, groups);
  const window = handlers.some(({ reactAll }) => reactAll !== undefined) ? readAhead : concurrency;
  // Initialised to 0, so that rate() sees the first increment.
  for (const outcome of ['done', 'failed', 'dead_lettered']) metrics?.events.consumed.inc({ consumer: name, outcome }, 0);
  const { live, bulk } = laneFilters(filter);
  const readers: Reader[] = [
    { lane: 'live', durable: name, filter: live },
    ...(bulk === undefined ? [] : [{ lane: 'bulk', durable: `${name}-bulk`, filter: bulk } as const]),
  ];
  const stopping = new AbortController();
  const details = { consumer: name };
  const pulling = createFailureLog(logger, 'consumer stopped; retrying', { details });
  const reacting = createFailureLog(logger, 'an event failed; retrying', { details, recoveredAfter: 10 });
  const { isInfraUnavailable, retryWhileUnavailable } = createRetries({
    broker,
    logger,
    signal: stopping.signal,
    holdMs: patience.holdMs,
    details,
  });
  const { deadLetter, deadLetterUnfinished, returnToStream } = createDeadLetters(
    { mongo, broker, logger, metrics, name, reacting, retryWhileUnavailable },
    { ...limits, retryDelay, patience },
  );

  async function receive(message: JsMsg, lane: Lane) {
    const envelope = parse(message);
    if (!envelope) return withLogContext({ consumer: name }, () => deadLetter(message, 'not an event envelope'));
    const trace_id = traceIdOf(envelope.traceparent);
    const { id: event_id, account_id, correlation_id: request_id } = envelope;
    const fields = { request_id, account_id, event_id, consumer: name, ...(trace_id !== undefined && { trace_id }) };
    return withLogContext(fields, () => handle(message, envelope, envelope.lane ?? lane));
  }

  async function handle(message: JsMsg, envelope: EventEnvelope, lane: Lane) {
    const handler = byType.get(`${envelope.type}.v${envelope.version}`);
    if (!handler) return message.ack();
    const data = handler.event.data.safeParse(envelope.data);
    if (!data.success) return deadLetter(message, `not a ${handler.event.subject}: ${data.error.message.slice(0, 1_000)}`);
    try {
      if (await deadLetterUnfinished(message, envelope)) return;
      const attributes = { ...messaging('process', handler.event.subject, envelope.id), 'messaging.consumer.group.name': name };
      await inSpan(`process ${handler.event.subject}`, { kind: 'consumer', parent: envelope.traceparent, attributes }, () =>
        retryWhileUnavailable(async () => {
          if (erasedAccounts?.has(envelope.account_id)) return;
          if (!((await handler.isRelevant?.(envelope)) ?? true)) return;
          await (handler.reactAll ? together : alone).apply(envelope, handler, message.data.length, lane);
        }),
      );
      message.ack();
      reacting.succeeded();
      metrics?.events.consumed.inc({ consumer: name, outcome: 'done' });
      metrics?.events.age.observe({ consumer: name, lane }, Math.max(0, Date.now() - Date.parse(envelope.time)) / 1_000);
    } catch (error) {
      if (isInfraUnavailable(error) || (isUnavailable(error) && stopping.signal.aborted)) return message.nak(Math.round(retryDelay(1)));
      await returnToStream(message, envelope, error);
    }
  }

  const pullers = readers.map(({ lane, durable, filter: read }) => ({
    lane,
    ...createEventPuller({
      ...{ broker, stream, durable, filter: read, window, failures: pulling },
      receive: (message) => receive(message, lane),
    }),
  }));

  return {
    name,
    /** The events it reads, with a durable consumer for each lane. Its NATS user has access to nothing else. */
    reads: { stream, readers },
    ...createConsumerProgress(broker, { name, stream, readers }),
    /**
     * Age of the oldest event of a lane that this process has received and not applied; 0 when there is none. All others of the lane
     * are younger, or another process has them, or they wait for another attempt.
     */
    oldestSeconds: (of: Lane): number => Math.max(0, ...pullers.map(({ lane, oldestSeconds }) => (lane === of ? oldestSeconds() : 0))),

    /** Starts once NATS is connected. Does not wait, so that `stop` works before that. */
    start() {
      for (const puller of pullers) puller.start();
    },

    /** Stops pulling, gives back what waits and waits for the events in progress. */
    async stop() {
      stopping.abort();
      alone.stop();
      together.stop();
      await Promise.all(pullers.map((puller) => puller.stop()));
    },
  };
}

function parse(message: JsMsg): EventEnvelope | undefined {
  try {
    return EventEnvelope.parse(message.json());
  } catch {
    return undefined;
  }
}
