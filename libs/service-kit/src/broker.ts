import type { Position } from '@mp/contracts/position';
import { type StreamDefinition, streams } from '@mp/contracts/streams';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { backoff, pause } from './backoff.ts';
import { createRequests } from './broker-requests.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { type NatsFiles, natsAddress } from './nats-address.ts';
import { readStream } from './read-stream.ts';
import { ensureStream, isRefused, type StreamLimits, type StreamState } from './stream.ts';

type Connected = { connection: NatsConnection; publisher: JetStreamClient; manager: JetStreamManager };

export type Broker = ReturnType<typeof createBroker>;

/**
 * How long to wait before a missing stream is created again. nats-server (2.9) keeps removing a stream's files and consumers for
 * a while after its name is free, and a stream created under that name in the meantime never delivers.
 */
const lostSettleMs = 500;

/**
 * The connection to NATS. It is established in the background and re-established indefinitely, so a service starts and keeps
 * writing while NATS is unavailable; `connected` waits for it.
 */
export function createBroker({
  url,
  files = {},
  namespace = '',
  service,
  logger,
  limits = { replicas: 1, maxBytes: 0 },
}: {
  url: string;
  files?: NatsFiles;
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
  /** Streams that only another service may create. Not retried, because each attempt adds a line to the log of nats-server. */
  const foreign = new Set<string>();
  const reconnected = new Set<() => void>();
  const connecting = createFailureLog(logger, 'NATS is unavailable; retrying');
  const updating = createFailureLog(logger, 'cannot update the replicas or size limit of a stream; retrying');
  let current: Connected | undefined;
  let online = false;

  async function connectForever() {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      try {
        const connection = await connect({
          ...natsAddress(url, files),
          name: service,
          // Replies arrive on subjects of this service only, so that its NATS user needs no access to those of others.
          inboxPrefix: `_INBOX_${service}`,
          ignoreAuthErrorAbort: true,
          maxReconnectAttempts: -1,
          reconnectTimeWait: 250,
          reconnectJitter: 250,
          timeout: 5_000,
          // Otherwise every publish and ack creates an Error for its stack trace, a fifteenth of the cost of a large import.
          noAsyncTraces: true,
        });
        const publisher = jetstream(connection, { timeout: 5_000 });
        const manager = await jetstreamManager(connection, { timeout: 5_000, checkAPI: false });
        current = { connection, publisher, manager };
        online = true;
        void follow(connection);
        // Requests and replies work without JetStream; relay and consumers ensure their streams again.
        await ensureAll(manager).catch((err: unknown) => logger.warn({ err }, 'cannot create or update the streams; retrying'));
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
    ready.reject(new Error('The broker was stopped before it connected to NATS.'));
  }

  async function ensureAll(manager: JetStreamManager) {
    for (const stream of Object.values(streams)) await ensure(manager, stream, 0);
  }

  /** The state of the stream; undefined when only another service may create and read it. */
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
    /** Starts to connect and returns immediately. */
    start() {
      void connectForever();
    },

    /** Drains: pending requests get their replies, then the connection closes. Closes immediately while NATS is unavailable. */
    async stop() {
      stopping.abort();
      await (online ? current?.connection.drain() : current?.connection.close())?.catch(() => undefined);
    },

    connected: () => ready.promise,

    /** Names with the namespace as prefix, so that installations can share one NATS. */
    subjectOf,
    streamOf,

    ready: () => online,

    /** Calls the listener after every reconnect. */
    onReconnected(listener: () => void) {
      reconnected.add(listener);
    },

    /**
     * Publishes to a stream and resolves with the sequence once the stream has stored the message. A message with an `id` that the
     * stream already has is not stored again; `duplicate` is true.
     */
    async publish(subject: string, payload: string, id?: string): Promise<{ sequence: number; duplicate: boolean }> {
      const { publisher } = await ready.promise;
      const { seq, duplicate } = await publisher.publish(subjectOf(subject), payload, id === undefined ? {} : { msgID: id });
      return { sequence: seq, duplicate };
    },

    /**
     * Creates the stream if it is missing, even after NATS lost its data, and applies the configured limits. Resolves with its
     * state; undefined when only another service may do this.
     */
    ensureStream: async (stream: StreamDefinition) => ensure((await ready.promise).manager, stream),

    /** The current end of the stream. Throws when the stream does not exist. */
    async position({ name }: StreamDefinition): Promise<Position> {
      const { manager } = await ready.promise;
      const { created, config, state } = await manager.streams.info(streamOf(name));
      return { stream: name, epoch: `${created} ${config.description ?? ''}`.trim(), sequence: state.last_seq };
    },

    /**
     * Irrecoverably deletes the messages of a stream that `mentions` selects, and returns how many; for erasures. Reads the whole
     * stream, so use it rarely and in the background. Throws when it cannot read to the end, for example because other messages
     * were deleted in the meantime; then retry.
     */
    async eraseFrom(stream: StreamDefinition, mentions: (subject: string, payload: string) => boolean): Promise<number> {
      const connected = await ready.promise;
      const { manager } = connected;
      const found: number[] = [];
      await readStream(connected, streamOf(stream.name), undefined, (message) => {
        if (mentions(message.subject, message.string())) found.push(message.seq);
      });
      for (const sequence of found) await manager.streams.deleteMessage(streamOf(stream.name), sequence, true);
      return found.length;
    },

    /**
     * Reads the messages that a stream received since a time, in order. Returns when the first message it still stores was
     * received; undefined when it is empty.
     */
    readSince: async (stream: StreamDefinition, since: Date, read: (payload: string) => Promise<void>) =>
      readStream(await ready.promise, streamOf(stream.name), since, (message) => read(message.string())),

    ...createRequests({ service, logger, subjectOf, connected: ready.promise }),
  };
}
