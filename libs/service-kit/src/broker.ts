import { ApiError } from '@mp/contracts/errors';
import type { Position } from '@mp/contracts/position';
import type { QuestionType } from '@mp/contracts/question';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { DeliverPolicy, type JetStreamClient, type JetStreamManager, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { backoff, pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { natsAddress } from './nats-address.ts';
import { ensureStream, isRefused, type StreamLimits, type StreamState } from './stream.ts';
import { inSpan, traceparent } from './traces.ts';

type Connected = { connection: NatsConnection; publisher: JetStreamClient; manager: JetStreamManager };

export type Broker = ReturnType<typeof createBroker>;

/**
 * How long a stream that went missing stays so before it is made again: nats-server (2.9) removes a stream's files and
 * consumers for a while after its name is free, and what is made under that name meanwhile never delivers.
 */
const lostSettleMs = 500;

/** A stream that is read to its end and says nothing for so long has lost what was still to come. */
const silenceMs = 5_000;

/** What a service answers to a question: its answer, or why there is none. */
const Reply = z.union([z.object({ answer: z.unknown() }), z.object({ error: z.string() })]);

/**
 * The connection to NATS. It is made in the background and made again for ever: a service starts, and goes on writing,
 * while the broker is away; `connected` waits for it.
 */
export function createBroker({
  url,
  namespace = '',
  service,
  logger,
  limits = { replicas: 1, maxBytes: 0 },
}: {
  url: string;
  namespace?: string;
  service: string;
  logger: Logger;
  limits?: StreamLimits;
}) {
  const subjectOf = (subject: string) => (namespace ? `${namespace}.${subject}` : subject);
  const streamOf = (name: string) => (namespace ? `${namespace}_${name}` : name);
  const stopping = new AbortController();
  const ready = Promise.withResolvers<Connected>();
  ready.promise.catch(() => undefined);
  /** Streams that only another service may make; asking again would only fill the log of nats-server. */
  const foreign = new Set<string>();
  const reconnected = new Set<() => void>();
  const connecting = createFailureLog(logger, 'NATS is unavailable; retrying');
  const replying = createFailureLog(logger, 'a request of another service failed', { recoveredAfter: 10 });
  const updating = createFailureLog(logger, 'a stream cannot get its replicas or limit; it stays as it is, retrying');
  let current: Connected | undefined;
  let online = false;

  async function connectForEver() {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      try {
        const connection = await connect({
          ...natsAddress(url),
          name: service,
          // Answers come to subjects of the service's own, so that its NATS user can be kept from reading others'.
          inboxPrefix: `_INBOX_${service}`,
          ignoreAuthErrorAbort: true,
          maxReconnectAttempts: -1,
          reconnectTimeWait: 250,
          reconnectJitter: 250,
          timeout: 5_000,
          // Each publish and each ack would make an error in advance, for its trace: a fifteenth of what a large import costs.
          noAsyncTraces: true,
        });
        const publisher = jetstream(connection, { timeout: 5_000 });
        const manager = await jetstreamManager(connection, { timeout: 5_000, checkAPI: false });
        current = { connection, publisher, manager };
        online = true;
        void follow(connection);
        // Without JetStream there are still requests and replies; relay and consumers ensure what they need again.
        await ensureAll(manager).catch((err: unknown) => logger.warn({ err }, 'streams could not be made or updated; retrying'));
        connecting.succeeded();
        ready.resolve(current);
        return;
      } catch (error) {
        connecting.failed(error);
        await current?.connection.close();
        current = undefined;
        await pause(backoff(attempt, 250, 2_000), stopping.signal);
      }
    }
    ready.reject(new Error('The broker was stopped before NATS answered.'));
  }

  async function ensureAll(manager: JetStreamManager) {
    for (const stream of Object.values(streams)) await ensure(manager, stream, 0);
  }

  /** The state of the stream; undefined where only another service may make it and look at it. */
  async function ensure(
    manager: JetStreamManager,
    { name, subject, keepDays }: StreamDefinition,
    settleMs = lostSettleMs,
  ): Promise<StreamState | undefined> {
    if (foreign.has(name)) return undefined;
    try {
      return await ensureStream(
        manager,
        { name: streamOf(name), subject: subjectOf(subject), keepDays, ...limits },
        { settleMs, onNotUpdated: (error) => updating.failed(error, { stream: name }) },
      );
    } catch (error) {
      if (!isRefused(error)) throw error;
      foreign.add(name);
      return undefined;
    }
  }

  async function readStream(
    { name }: StreamDefinition,
    since: Date | undefined,
    read: (message: JsMsg) => void | Promise<void>,
  ): Promise<Date | undefined> {
    const { manager, publisher } = await ready.promise;
    const stream = streamOf(name);
    const { state } = await manager.streams.info(stream);
    if (state.messages === 0) return undefined;
    const from = since
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
      : { deliver_policy: DeliverPolicy.All };
    const first = new Date(state.first_ts);
    const consumer = await publisher.consumers.get(stream, from);
    if ((await consumer.info(true)).num_pending === 0) return first;
    const messages = await consumer.consume({ max_messages: 1_000 });
    const awaitNext = () => setTimeout(() => messages.stop(new Error(`Reading ${stream} did not come to its end.`)), silenceMs);
    let silence = awaitNext();
    try {
      for await (const message of messages) {
        // The time that its reader takes is no silence of the stream.
        clearTimeout(silence);
        await read(message);
        if (message.seq >= state.last_seq || message.info.pending === 0) break;
        silence = awaitNext();
      }
    } finally {
      clearTimeout(silence);
      await messages.close();
    }
    return first;
  }

  async function follow(connection: NatsConnection) {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') online = false;
      if (status.type === 'reconnect') {
        online = true;
        for (const listener of reconnected) listener();
      }
      if (status.type === 'disconnect' || status.type === 'reconnect') logger.warn({ status: status.type }, 'NATS connection changed');
    }
    online = false;
  }

  return {
    /** Begins to connect; does not wait. */
    start() {
      void connectForEver();
    },

    /** Drains: what was asked for is answered, then the connection closes. While NATS is unavailable it closes at once. */
    async stop() {
      stopping.abort();
      await (online ? current?.connection.drain() : current?.connection.close())?.catch(() => undefined);
    },

    connected: () => ready.promise,

    /** Names as the broker knows them: they begin with the namespace, so that installations can share one NATS. */
    subjectOf,
    streamOf,

    ready: () => online,

    /** Calls the listener after each time the connection was lost and made again. */
    onReconnected(listener: () => void) {
      reconnected.add(listener);
    },

    /**
     * Publishes into a stream and resolves once the stream has stored it, with its sequence there. The same `id` is
     * stored once; then it is a duplicate.
     */
    async publish(subject: string, payload: string, id?: string): Promise<{ sequence: number; duplicate: boolean }> {
      const { publisher } = await ready.promise;
      const { seq, duplicate } = await publisher.publish(subjectOf(subject), payload, id === undefined ? {} : { msgID: id });
      return { sequence: seq, duplicate };
    },

    /**
     * Creates the stream where it is missing, also after the broker lost its data, and gives it today's limits. Resolves
     * with its state, or with undefined where it is for another service to do so.
     */
    ensureStream: async (stream: StreamDefinition) => ensure((await ready.promise).manager, stream),

    /** Where the stream ends now. Throws where there is no such stream. */
    async position({ name }: StreamDefinition): Promise<Position> {
      const { manager } = await ready.promise;
      const { created, config, state } = await manager.streams.info(streamOf(name));
      return { stream: name, epoch: `${created} ${config.description ?? ''}`.trim(), sequence: state.last_seq };
    },

    /**
     * Removes what a stream kept that mentions something, beyond recovery; for data that has to be forgotten. Reads the
     * whole stream: for rare use, in the background. Returns how many. Throws when it does not come to the end, as where
     * others removed messages meanwhile: then do it again.
     */
    async eraseFrom(stream: StreamDefinition, mentions: (subject: string, payload: string) => boolean): Promise<number> {
      const { manager } = await ready.promise;
      const found: number[] = [];
      await readStream(stream, undefined, (message) => {
        if (mentions(message.subject, message.string())) found.push(message.seq);
      });
      for (const sequence of found) await manager.streams.deleteMessage(streamOf(stream.name), sequence, true);
      return found.length;
    },

    /**
     * Reads what a stream received since then, in order. Returns when its first message that is kept was received;
     * undefined when it keeps none.
     */
    readSince: (stream: StreamDefinition, since: Date, read: (payload: string) => Promise<void>) =>
      readStream(stream, since, (message) => read(message.string())),

    /** Asks another service and parses its answer. Throws SERVICE_UNAVAILABLE when nobody answers in time. */
    async ask<Ask extends z.ZodType, Answer extends z.ZodType>(
      question: QuestionType<Ask, Answer>,
      ask: z.input<Ask>,
      timeoutMs = 5_000,
    ): Promise<z.output<Answer>> {
      const { connection } = await withTimeout(ready.promise, timeoutMs);
      const message = await connection
        .request(subjectOf(question.subject), JSON.stringify(question.ask.parse(ask)), { timeout: timeoutMs, ...tracing() })
        .catch((error: unknown) => {
          throw unanswered(question, error);
        });
      const reply = Reply.parse(message.json());
      if ('error' in reply) throw unanswered(question, new Error(reply.error));
      return question.answer.parse(reply.answer);
    },

    /** Answers a question; replicas share the work. Faults of ours are logged and told to the asker without detail. */
    async answer<Ask extends z.ZodType, Answer extends z.ZodType>(
      question: QuestionType<Ask, Answer>,
      respond: (ask: z.output<Ask>) => Promise<z.input<Answer>>,
    ) {
      const { connection } = await ready.promise;
      connection.subscribe(subjectOf(question.subject), {
        queue: service,
        callback: (error, message) => {
          if (error) return logger.error({ err: error, subject: question.subject }, 'subscription failed');
          void (async () => {
            try {
              const parent = message.headers?.get('traceparent');
              const answer = await inSpan(question.subject, { kind: 'server', parent }, async () =>
                question.answer.parse(await respond(question.ask.parse(message.json()))),
              );
              message.respond(JSON.stringify({ answer }));
              replying.succeeded();
            } catch (fault) {
              replying.failed(fault, { subject: question.subject });
              message.respond(JSON.stringify({ error: 'the question could not be answered' }));
            }
          })();
        },
      });
    },

    /** Hears an event in every process, now only: for dropping caches. Whoever was away hears nothing. */
    async listen(subject: string, heard: (payload: unknown) => void) {
      const { connection } = await ready.promise;
      connection.subscribe(subjectOf(subject), {
        callback: (error, message) => {
          if (error) return logger.error({ err: error, subject }, 'subscription failed');
          heard(message.json());
        },
      });
    },
  };
}

function tracing(): { headers?: MsgHdrs } {
  const parent = traceparent();
  if (parent === undefined) return {};
  const carried = headers();
  carried.set('traceparent', parent);
  return { headers: carried };
}

const unanswered = (question: QuestionType, cause: unknown) =>
  new ApiError('SERVICE_UNAVAILABLE', 'A part of the platform that this needs is away; try again.', {
    retryAfter: 2,
    cause: new Error(`no answer to ${question.subject}`, { cause }),
  });

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new ApiError('SERVICE_UNAVAILABLE', 'A part of the platform that this needs is away; try again.', { retryAfter: 2 })),
    ms,
  );
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
