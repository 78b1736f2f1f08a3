import type { JournalEntry } from '@mp/contracts/journal';
import type { Keyring } from '@mp/contracts/keyring';
import { streams } from '@mp/contracts/streams';
import { createAccountPositions } from './account-positions.ts';
import { createBroker } from './broker.ts';
import { createClaimFirst } from './claim-first.ts';
import type { Consumer } from './consume.ts';
import type { Server } from './create-server.ts';
import { createCursors } from './cursor.ts';
import { createErasedAccounts } from './erased-accounts.ts';
import { prepareInbox } from './inbox.ts';
import { linkChanges } from './link-changes.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { createMongo } from './mongo.ts';
import type { NatsFiles } from './nats-address.ts';
import { createOutbox } from './outbox.ts';
import { createRelay } from './relay.ts';
import type { Background } from './runner.ts';
import { createStreamWatch } from './stream-watch.ts';
import { createTransact } from './transact.ts';

export type PartsConfig = NatsFiles & {
  name: string;
  /** MongoDB database; by default the namespace and the name of the service. */
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

/** A public listener in front of the app, which then listens on loopback only. Used by the gateway. */
type Front = { start: (appAddress: string) => Promise<string>; drain: () => void; stop: () => Promise<void> };

/** A service as `buildApp` returns it. */
export type App = {
  app: Server;
  /** Creates collections and indexes. */
  prepare: () => Promise<void>;
  consumers: readonly Consumer[];
  /** Subscriptions to requests of other services, made once NATS is connected. */
  replies?: readonly (() => Promise<void>)[];
  background?: readonly Background[];
  /** Applies a journal, for the command `apply-journal`; idempotent. Returns the number of changes by kind. */
  applyJournal?: (entries: AsyncIterable<JournalEntry>) => Promise<Record<string, number>>;
  /** Calls `write` for every change in the streams since then that a restore must not undo or repeat, for `export-journal`. */
  exportJournal?: (since: Date, write: (entry: JournalEntry) => Promise<void>) => Promise<void>;
  front?: Front;
};

/** The parts every service is built from. Does not connect. */
export function createParts({ name, NAMESPACE: namespace = '', database = inNamespace(namespace, name), ...env }: PartsConfig) {
  const logger = createLogger(name, env.LOG_LEVEL);
  const mongo = createMongo({ url: env.MONGODB_URL, database, service: name });
  const limits = { replicas: env.NATS_STREAM_REPLICAS ?? 1, maxBytes: env.NATS_STREAM_MAX_BYTES ?? 0 };
  const broker = createBroker({ url: env.NATS_URL, files: env, namespace, service: name, logger, limits });
  linkChanges({ broker, database, service: name });
  const outbox = createOutbox(mongo.db, name);
  const erasedAccounts = createErasedAccounts(mongo.db, logger);
  const { transact, prepare: prepareClaims } = createTransact(mongo, env.CONTEXT_KEYS);
  const metrics = createMetrics(name);
  const published = Object.values(streams).find((stream) => 'publisher' in stream && stream.publisher === name);
  const streamWatch = published && createStreamWatch({ broker, outbox, db: mongo.db, logger }, published);
  const positions = createAccountPositions(mongo.db);
  const relay = createRelay({
    ...{ outbox, broker, logger, streamWatch, positions },
    onPublished: (count) => metrics.events.published.inc(count),
  });
  if (streamWatch) metrics.gauge('stream_losses', 'How often NATS lost messages of the stream of this service.', streamWatch.losses);
  metrics.gauge('outbox_pending_rows', 'Outbox rows (events written together) that are not published yet.', outbox.pendingCount);
  metrics.gauge('outbox_oldest_event_seconds', 'Age of the oldest event that is not published yet.', () => outbox.oldestPendingSeconds());

  return {
    name,
    logger,
    mongo,
    broker,
    outbox,
    relay,
    erasedAccounts,
    streamWatch,
    positions,
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
      await positions.prepare();
      await prepareClaims();
      await prepareInbox(mongo.db);
      await erasedAccounts.prepare();
    },
  };
}

const inNamespace = (namespace: string, name: string) => (namespace ? `${namespace}_${name}` : name);
