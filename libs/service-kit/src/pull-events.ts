import { type StreamDefinition, streams } from '@mp/contracts/streams';
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { backoff, pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import type { createFailureLog } from './failure-log.ts';
import { isApiError } from './stream.ts';

const usualAckWaitMs = 30_000;

/** A consumer that ran for this long restarts without delay when it stops. */
const steadyMs = 60_000;

/** How long a small batch waits for more events. */
const gatherMs = 5;

const maxBytes = 8 * 2 ** 20;
const maxFetched = 250;

/** "Consumer already exists", with another configuration. nats-server 2.9 does not respond so: it changes the consumer at once. */
const consumerDiffers = 10_148;

type Config = {
  broker: Broker;
  stream: StreamDefinition;
  durable: string;
  filter: string;
  /** How many events are in progress at most. */
  window: number;
  failures: ReturnType<typeof createFailureLog>;
  /** Applies an event. Rejects only when its message could not be settled. */
  receive: (message: JsMsg) => Promise<void>;
  /** How long NATS waits before it delivers an event again, when the process has stopped responding. */
  ackWaitMs?: number;
};

/** Pulls the events of one durable consumer, which all replicas share, and recreates it when NATS has lost it. */
export function createEventPuller(config: Config) {
  const { broker, stream, durable, filter, window, failures, receive, ackWaitMs = usualAckWaitMs } = config;
  const stopping = new AbortController();
  const inProgress = new Map<Promise<void>, JsMsg>();
  let bytesInProgress = 0;
  /** Resolved when an event in progress ends. */
  let finished: PromiseWithResolvers<void> | undefined;
  let messages: ConsumerMessages | undefined;
  let running: Promise<void> = Promise.resolve();
  let holding: NodeJS.Timeout | undefined;

  /** Pulls events until the consumer is lost or `stop` is called. */
  async function pull() {
    const { manager, publisher } = await broker.connected();
    await broker.ensureStream(streams.dead);
    await broker.ensureStream(stream);
    await ensureConsumer(manager, broker.streamOf(stream.name), {
      durable_name: durable,
      filter_subject: broker.subjectOf(filter),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ackWaitMs * 1_000_000,
      // Each replica limits its own concurrency; a limit here would apply to all of them together.
      max_ack_pending: -1,
      max_deliver: -1,
    });
    const consumer = await publisher.consumers.get(broker.streamOf(stream.name), durable);
    while (!stopping.signal.aborted) {
      messages = await consumer.fetch({ max_messages: await room(), expires: 30_000, idle_heartbeat: 10_000 });
      if (stopping.signal.aborted) messages.stop();
      for await (const message of messages) begin(message);
      failures.succeeded();
    }
  }

  /** How many more events can be started; waits until there is room for at least one. */
  async function room(): Promise<number> {
    while (inProgress.size >= window || bytesInProgress >= maxBytes) {
      finished = Promise.withResolvers();
      await finished.promise;
    }
    if (inProgress.size > (window * 3) / 4) await pause(gatherMs, stopping.signal);
    return Math.min(window - inProgress.size, maxFetched);
  }

  function begin(message: JsMsg) {
    const { length } = message.data;
    bytesInProgress += length;
    const work = receive(message)
      .catch((error: unknown) => failures.failed(error, { subject: message.subject }))
      .finally(() => {
        inProgress.delete(work);
        bytesInProgress -= length;
        finished?.resolve();
      });
    inProgress.set(work, message);
  }

  /** Keeps NATS from delivering to others what waits here for its turn. */
  function hold() {
    for (const message of inProgress.values()) message.working();
  }

  async function run() {
    for (let attempts = 0; !stopping.signal.aborted; attempts += 1) {
      const began = Date.now();
      try {
        await pull();
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures.failed(error);
        if (Date.now() - began > steadyMs) attempts = 0;
      }
      await pause(backoff(attempts, 100, 2_000), stopping.signal);
    }
  }

  return {
    /** Starts once NATS is connected. Does not wait, so that `stop` works before that. */
    start() {
      void broker.connected().then(
        () => {
          if (stopping.signal.aborted) return;
          holding = setInterval(hold, ackWaitMs / 3).unref();
          running = run();
        },
        () => undefined,
      );
    },

    /** Age of the oldest event in progress, since its stream received it; 0 when there is none. */
    oldestSeconds(now = Date.now()): number {
      let oldest = now;
      for (const { info } of inProgress.values()) oldest = Math.min(oldest, info.timestampNanos / 1_000_000);
      return (now - oldest) / 1_000;
    },

    /** Stops pulling and waits for the events in progress. */
    async stop() {
      stopping.abort();
      messages?.stop();
      await running;
      await Promise.allSettled(inProgress.keys());
      clearInterval(holding);
    },
  };
}

/** Creates the durable consumer, or changes the one that an earlier version created, which keeps its place. */
async function ensureConsumer(manager: JetStreamManager, stream: string, config: Partial<ConsumerConfig> & { durable_name: string }) {
  await manager.consumers.add(stream, config).catch((error: unknown) => {
    if (!isApiError(error, consumerDiffers)) throw error;
    return manager.consumers.update(stream, config.durable_name, config);
  });
}
