import type { JournalEntry } from '@mp/contracts/journal';
import type { Keyring } from '@mp/contracts/keyring';
import { streams } from '@mp/contracts/streams';
import { createBroker } from './broker.ts';
import { createClaimFirst } from './claim-first.ts';
import type { Consumer } from './consume.ts';
import type { Server } from './create-server.ts';
import { createCursors } from './cursor.ts';
import { prepareInbox } from './inbox.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { createMongo } from './mongo.ts';
import { createOutbox } from './outbox.ts';
import { createRelay } from './relay.ts';
import { createStreamWatch } from './stream-watch.ts';
import { createTransact } from './transact.ts';

export type PartsConfig = {
  name: string;
  /** MongoDB database; the namespace and the service's name unless a test says otherwise. */
  database?: string;
  NAMESPACE?: string;
  MONGODB_URL: string;
  NATS_URL: string;
  NATS_STREAM_REPLICAS?: number;
  NATS_STREAM_MAX_BYTES?: number;
  CONSUMER_CONCURRENCY?: number;
  LOG_LEVEL: string;
  CONTEXT_KEYS: Keyring;
  CURSOR_KEYS: Keyring;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  MAINTENANCE?: boolean;
};

export type Parts = ReturnType<typeof createParts>;

/** Something that works in the background between `start` and `stop`; `outward` work is not started under MAINTENANCE. */
export type Background = { start: () => void; stop: () => Promise<void>; outward?: true };

/** Work through which something leaves the platform, or that must wait until a restore is complete. */
export const outward = (part: Background): Background => ({ ...part, outward: true });

/** A public listener before the app, which then listens on loopback only: the gateway's door. */
export type Front = { start: (appAddress: string) => Promise<string>; stop: () => Promise<void> };

/** What a service's `buildApp` returns. */
export type App = {
  app: Server;
  /** Creates collections and indexes. */
  prepare: () => Promise<void>;
  consumers: readonly Consumer[];
  /** Answers to questions, subscribed once NATS answers. */
  answers?: readonly (() => Promise<void>)[];
  background?: readonly Background[];
  /** Writes what the journal says, for the command of that name; again as often as wanted. Returns how much of what was changed. */
  applyJournal?: (entries: AsyncIterable<JournalEntry>) => Promise<Record<string, number>>;
  /** Calls `write` for what streams say since then that a restore must not undo or repeat, for the command of that name. */
  exportJournal?: (since: Date, write: (entry: JournalEntry) => Promise<void>) => Promise<void>;
  front?: Front;
};

/** What every service is built from. Nothing connects yet. */
export function createParts({ name, NAMESPACE: namespace = '', database = inNamespace(namespace, name), ...env }: PartsConfig) {
  const logger = createLogger(name, env.LOG_LEVEL);
  const mongo = createMongo({ url: env.MONGODB_URL, database, service: name });
  const limits = { replicas: env.NATS_STREAM_REPLICAS ?? 1, maxBytes: env.NATS_STREAM_MAX_BYTES ?? 0 };
  const broker = createBroker({ url: env.NATS_URL, namespace, service: name, logger, limits });
  const outbox = createOutbox(mongo.db, name);
  const { transact, prepare: prepareClaims } = createTransact(mongo, env.CONTEXT_KEYS);
  const metrics = createMetrics(name);
  const published = Object.values(streams).find((stream) => 'publisher' in stream && stream.publisher === name);
  const streamWatch = published && createStreamWatch({ broker, outbox, db: mongo.db, logger }, published);
  const relay = createRelay({ outbox, broker, logger, onPublished: (count) => metrics.events.published.inc(count), streamWatch });
  if (streamWatch) metrics.gauge('stream_losses', 'How often NATS lost what the stream of this service kept.', streamWatch.losses);
  metrics.gauge('outbox_pending_rows', 'Rows of events that were written together and are not yet published.', outbox.pendingCount);
  metrics.gauge('outbox_oldest_event_seconds', 'How long the first event that is not yet published has waited.', () =>
    outbox.oldestPendingSeconds(),
  );

  return {
    name,
    logger,
    mongo,
    broker,
    outbox,
    relay,
    streamWatch,
    transact,
    claimFirst: createClaimFirst(mongo),
    metrics,
    ...(env.CONSUMER_CONCURRENCY !== undefined && { consumerConcurrency: env.CONSUMER_CONCURRENCY }),
    maintenance: env.MAINTENANCE ?? false,
    traced: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    contextKeys: env.CONTEXT_KEYS,
    cursors: createCursors(env.CURSOR_KEYS),
    prepare: async () => {
      await outbox.prepare();
      await streamWatch?.prepare();
      await prepareClaims();
      await prepareInbox(mongo.db);
    },
  };
}

const inNamespace = (namespace: string, name: string) => (namespace ? `${namespace}_${name}` : name);
