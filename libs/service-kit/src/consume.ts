import { EventEnvelope, type EventType } from '@mp/contracts/event';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import type { AccountId } from '@mp/ids';
import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { z } from 'zod';
import { backoff, pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import { createConsumerProgress } from './consumer-progress.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createEventGroups, type Reaction } from './event-groups.ts';
import { createFailureLog } from './failure-log.ts';
import { createEventFailures, inboxOf } from './inbox.ts';
import { withLogContext } from './log-context.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { isUnavailable, type Mongo, type Transaction } from './mongo.ts';
import { createRetries, defaultPatience, type Patience } from './retry-while-unavailable.ts';
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
 * by one, with one read and one write to each collection, and must not ask other services. Each event that it writes is about a
 * contact of the group, and names the event of that contact as its cause.
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

type ConsumerConfig = {
  /** Durable name, shared by all replicas; the inbox records applied events under it. */
  name: string;
  stream: StreamDefinition;
  filter: string;
  handlers: readonly EventHandler[];
  /** How many events this process applies concurrently in transactions of their own. Each replica has its own limit. */
  concurrency?: number;
  /** Number of attempts before an event is dead-lettered. */
  maxAttempts?: number;
  /** Milliseconds to wait after the n-th failure. */
  retryDelay?: (attempt: number) => number;
  patience?: Patience;
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

export type Consumer = ReturnType<typeof createConsumer>;

const ackWaitMs = 30_000;

/** Deliveries without a result, because the process crashed or stopped, do not count as failures, but they have their own limit. */
const unfinishedPerAttempt = 4;

/** A consumer that ran for this long restarts without delay when it stops. */
const steadyMs = 60_000;

/** How long a small batch waits for more events. */
const gatherMs = 5;

/** Groups of events: MongoDB applies two while this process prepares the next. */
const groups = { maxEvents: 200, atOnce: 2 };

/** How far a consumer that applies groups reads ahead, so that groups fill and accounts take turns. */
const readAhead = { events: 2_000, bytes: 8 * 2 ** 20, atOnce: 250 };

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
    maxAttempts = 8,
    retryDelay = defaultDelay,
    patience = defaultPatience,
  }: ConsumerConfig,
) {
  const byType = new Map(handlers.map((handler) => [`${handler.event.type}.v${handler.event.version}`, handler]));
  const failures = createEventFailures(inboxOf(mongo.db), name);
  const alone = createEventGroups({ mongo, name }, { maxEvents: 1, atOnce: concurrency });
  const together = createEventGroups({ mongo, name }, groups);
  const window = handlers.some(({ reactAll }) => reactAll !== undefined) ? readAhead.events : concurrency;
  // Initialised to 0, so that rate() sees the first increment.
  for (const outcome of ['done', 'failed', 'dead_lettered']) metrics?.events.consumed.inc({ consumer: name, outcome }, 0);
  const stopping = new AbortController();
  const inProgress = new Set<Promise<void>>();
  let bytesInProgress = 0;
  /** Resolved when an event in progress ends. */
  let finished: PromiseWithResolvers<void> | undefined;
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
  const deadLetter = createDeadLetters({ broker, logger, metrics, name });
  let messages: ConsumerMessages | undefined;
  let running: Promise<void> = Promise.resolve();

  /** Returns the event for a later attempt, or dead-letters it after the last one. */
  async function returnToStream(message: JsMsg, envelope: EventEnvelope, error: unknown) {
    const isDependency = isUnavailable(error);
    const attempt = await retryWhileUnavailable(() => failures.count(envelope.id, isDependency ? 'unavailable' : 'failures'));
    if (!isDependency) {
      metrics?.events.consumed.inc({ consumer: name, outcome: 'failed' });
      reacting.failed(error, { subject: message.subject, attempt });
    }
    if (attempt < (isDependency ? patience.attempts : maxAttempts)) {
      // nats-server accepts whole nanoseconds only; otherwise it would redeliver the message immediately.
      return message.nak(Math.round(isDependency ? patience.delay(attempt) : retryDelay(attempt)));
    }
    await deadLetter(message, isDependency ? `a dependency was unavailable ${attempt} times` : `failed ${attempt} times`);
    await failures.forget(envelope.id);
  }

  async function receive(message: JsMsg) {
    const envelope = parse(message);
    if (!envelope) return withLogContext({ consumer: name }, () => deadLetter(message, 'not an event envelope'));
    const trace_id = traceIdOf(envelope.traceparent);
    const { id: event_id, account_id, correlation_id: request_id } = envelope;
    const fields = { request_id, account_id, event_id, consumer: name, ...(trace_id !== undefined && { trace_id }) };
    return withLogContext(fields, () => handle(message, envelope));
  }

  async function handle(message: JsMsg, envelope: EventEnvelope) {
    const handler = byType.get(`${envelope.type}.v${envelope.version}`);
    if (!handler) return message.ack();
    const data = handler.event.data.safeParse(envelope.data);
    if (!data.success) return deadLetter(message, `not a ${handler.event.subject}: ${data.error.message.slice(0, 1_000)}`);
    const holding = setInterval(() => message.working(), ackWaitMs / 3);
    try {
      const maxUnfinished = maxAttempts * unfinishedPerAttempt;
      if (message.info.deliveryCount > maxUnfinished) {
        const unfinished = message.info.deliveryCount - 1 - (await retryWhileUnavailable(() => failures.of(envelope.id)));
        if (unfinished >= maxUnfinished) return await deadLetter(message, `delivered ${unfinished} times and never finished`);
      }
      const attributes = { ...messaging('process', handler.event.subject, envelope.id), 'messaging.consumer.group.name': name };
      await inSpan(`process ${handler.event.subject}`, { kind: 'consumer', parent: envelope.traceparent, attributes }, () =>
        retryWhileUnavailable(async () => {
          if (erasedAccounts?.has(envelope.account_id)) return;
          if (!((await handler.isRelevant?.(envelope)) ?? true)) return;
          await (handler.reactAll ? together : alone).apply(envelope, handler, message.data.length);
        }),
      );
      message.ack();
      reacting.succeeded();
      metrics?.events.consumed.inc({ consumer: name, outcome: 'done' });
      metrics?.events.age.observe({ consumer: name }, Math.max(0, Date.now() - Date.parse(envelope.time)) / 1_000);
    } catch (error) {
      if (isInfraUnavailable(error) || (isUnavailable(error) && stopping.signal.aborted)) return message.nak(Math.round(retryDelay(1)));
      await returnToStream(message, envelope, error);
    } finally {
      clearInterval(holding);
    }
  }

  /** Pulls events until the consumer is lost or `stop` is called. */
  async function pull() {
    const { manager, publisher } = await broker.connected();
    await broker.ensureStream(streams.dead);
    await broker.ensureStream(stream);
    await manager.consumers.add(broker.streamOf(stream.name), {
      durable_name: name,
      filter_subject: broker.subjectOf(filter),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ackWaitMs * 1_000_000,
      // Each replica limits its own concurrency; a limit here would apply to all of them together.
      max_ack_pending: -1,
      max_deliver: -1,
    });
    const consumer = await publisher.consumers.get(broker.streamOf(stream.name), name);
    while (!stopping.signal.aborted) {
      messages = await consumer.fetch({ max_messages: await room(), expires: 5_000, idle_heartbeat: 2_000 });
      if (stopping.signal.aborted) messages.stop();
      for await (const message of messages) begin(message);
      pulling.succeeded();
    }
  }

  /** How many more events can be started; waits until there is room for at least one. */
  async function room(): Promise<number> {
    while (inProgress.size >= window || bytesInProgress >= readAhead.bytes) {
      finished = Promise.withResolvers();
      await finished.promise;
    }
    if (inProgress.size > (window * 3) / 4) await pause(gatherMs, stopping.signal);
    return Math.min(window - inProgress.size, readAhead.atOnce);
  }

  function begin(message: JsMsg) {
    const { length } = message.data;
    bytesInProgress += length;
    const work = receive(message)
      .catch((error: unknown) => pulling.failed(error, { subject: message.subject }))
      .finally(() => {
        inProgress.delete(work);
        bytesInProgress -= length;
        finished?.resolve();
      });
    inProgress.add(work);
  }

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const began = Date.now();
      try {
        await pull();
      } catch (error) {
        if (stopping.signal.aborted) return;
        pulling.failed(error);
        if (Date.now() - began > steadyMs) failures = 0;
      }
      await pause(backoff(failures, 100, 2_000), stopping.signal);
    }
  }

  return {
    name,
    /** The events it reads. Its NATS user has access to nothing else. */
    reads: { stream, filter },
    ...createConsumerProgress(broker, { name, stream }),

    /** Starts once NATS is connected. Does not wait, so that `stop` works before that. */
    start() {
      void broker.connected().then(
        () => {
          running = run();
        },
        () => undefined,
      );
    },

    /** Stops pulling and waits for the events in progress. */
    async stop() {
      stopping.abort();
      messages?.stop();
      alone.stop();
      together.stop();
      await running;
      await Promise.allSettled(inProgress);
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
