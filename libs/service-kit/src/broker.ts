import { ApiError } from '@mp/contracts/errors';
import type { Position } from '@mp/contracts/position';
import type { QuestionType } from '@mp/contracts/question';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { DeliverPolicy, type JetStreamClient, type JetStreamManager, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type MsgHdrs, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { z } from 'zod';
import { backoff, pause } from './backoff.ts';
import type { Logger } from './logger.ts';
import { natsAddress } from './nats-address.ts';
import { inSpan, traceparent } from './traces.ts';

type Connected = { connection: NatsConnection; publisher: JetStreamClient; manager: JetStreamManager };

export type Broker = ReturnType<typeof createBroker>;

/** JetStream refuses the same message id again within this window; beyond it the consumers' inbox does. */
const duplicateWindowMs = 2 * 60_000;

const nanosPerMs = 1_000_000;

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
}: {
  url: string;
  namespace?: string;
  service: string;
  logger: Logger;
}) {
  const subjectOf = (subject: string) => (namespace ? `${namespace}.${subject}` : subject);
  const streamOf = (name: string) => (namespace ? `${namespace}_${name}` : name);
  const stopping = new AbortController();
  const ready = Promise.withResolvers<Connected>();
  ready.promise.catch(() => undefined);
  /** Streams that only another service may make; asking again would only fill the log of nats-server. */
  const foreign = new Set<string>();
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
        for (const stream of Object.values(streams)) await ensure(manager, stream);
        ready.resolve(current);
        return;
      } catch (error) {
        if (attempt % 10 === 0) logger.warn({ err: error }, 'NATS is away; trying on');
        await current?.connection.close();
        current = undefined;
        await pause(backoff(attempt, 250, 2_000), stopping.signal);
      }
    }
    ready.reject(new Error('The broker was stopped before NATS answered.'));
  }

  async function ensure(manager: JetStreamManager, { name, subject, keepDays }: StreamDefinition) {
    if (foreign.has(name)) return;
    await makeStream(manager, streamOf(name), subjectOf(subject), keepDays).catch((error: unknown) => {
      if (!isRefused(error)) throw error;
      foreign.add(name);
    });
  }

  async function readStream(
    { name }: StreamDefinition,
    since: Date | undefined,
    read: (message: JsMsg) => void,
  ): Promise<Date | undefined> {
    const { manager, publisher } = await ready.promise;
    const stream = streamOf(name);
    const { state } = await manager.streams.info(stream);
    if (state.messages === 0) return undefined;
    const from = since
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
      : { deliver_policy: DeliverPolicy.All };
    const first = new Date(state.first_ts);
    if (since && since > new Date(state.last_ts)) return first;
    const consumer = await publisher.consumers.get(stream, from);
    const messages = await consumer.consume({ max_messages: 1_000 });
    const silence = setTimeout(() => messages.stop(new Error(`Reading ${stream} did not come to its end.`)), silenceMs);
    try {
      for await (const message of messages) {
        silence.refresh();
        read(message);
        if (message.seq >= state.last_seq || message.info.pending === 0) break;
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
      if (status.type === 'reconnect') online = true;
      if (status.type === 'disconnect' || status.type === 'reconnect') logger.warn({ status: status.type }, 'NATS connection changed');
    }
    online = false;
  }

  return {
    /** Begins to connect; does not wait. */
    start() {
      void connectForEver();
    },

    /** Drains: what was asked for is answered, then the connection closes. */
    async stop() {
      stopping.abort();
      await current?.connection.drain().catch(() => undefined);
    },

    connected: () => ready.promise,

    /** Names as the broker knows them: they begin with the namespace, so that installations can share one NATS. */
    subjectOf,
    streamOf,

    ready: () => online,

    /** Publishes into a stream and resolves once the stream has stored it. The same `id` is stored once. */
    async publish(subject: string, payload: string, id?: string) {
      const { publisher } = await ready.promise;
      await publisher.publish(subjectOf(subject), payload, id === undefined ? {} : { msgID: id });
    },

    /** Creates the stream where it is missing, also after the broker lost its data; unless that is another service's right. */
    ensureStream: async (stream: StreamDefinition) => ensure((await ready.promise).manager, stream),

    /** Where the stream ends now. Throws where there is no such stream. */
    async position({ name }: StreamDefinition): Promise<Position> {
      const { manager } = await ready.promise;
      const { created, state } = await manager.streams.info(streamOf(name));
      return { stream: name, created, sequence: state.last_seq };
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
    readSince: (stream: StreamDefinition, since: Date, read: (payload: string) => void) =>
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
            } catch (fault) {
              logger.error({ err: fault, subject: question.subject }, 'question not answered');
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

async function makeStream(manager: JetStreamManager, name: string, subject: string, keepDays: number) {
  const config = {
    name,
    subjects: [subject],
    max_age: keepDays * 24 * 60 * 60 * 1_000 * nanosPerMs,
    duplicate_window: duplicateWindowMs * nanosPerMs,
  };
  await manager.streams.add(config).catch(async (error: unknown) => {
    // 10058: it exists with another configuration, so bring it to ours.
    const exists = error instanceof Error && 'code' in error && error.code === 10_058;
    if (!exists) throw error;
    await manager.streams.update(name, config);
  });
}

/** Where every service has a NATS user of its own, only the one that publishes into a stream may make it. */
const isRefused = (error: unknown): boolean =>
  error instanceof PermissionViolationError || (error instanceof Error && error.cause instanceof PermissionViolationError);

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
