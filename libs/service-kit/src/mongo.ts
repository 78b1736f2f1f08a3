import { ApiError } from '@mp/contracts/errors';
import type { Lane } from '@mp/contracts/lanes';
import {
  type ClientSession,
  type Collection,
  type CreateCollectionOptions,
  type Db,
  type Document,
  type IndexDescription,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { backoff, pause } from './backoff.ts';
import { createInTurn } from './in-turn.ts';
import { patchConnections } from './mongo-connections.ts';
import { watchPool } from './mongo-pool.ts';
import { createSlots } from './slots.ts';

patchConnections();

/** The origin of a chain of changes, copied into every event it causes. */
export type Origin = {
  correlationId: string;
  causationId: string | null;
  traceparent?: string;
  /** The lane of the events that this change writes. */
  lane?: Lane;
  /** False if no event of the chain may start a run of a workflow. */
  startsWorkflows?: boolean;
  /** In the transaction of a group of events: the origin of an event with this data. Throws when no event of the group caused it. */
  causedBy?: (data: unknown) => Origin;
};

/** One MongoDB transaction with its origin. Effects outside the database run after the commit. */
export type Transaction = Origin & {
  session: ClientSession;
  afterCommit: (effect: () => void) => void;
};

export type Mongo = ReturnType<typeof createMongo>;

/** How long a transaction is retried when it conflicts with others. */
export const maxConflictMs = 5_000;

/** How long a transaction waits for its turn, in addition; less than the gateway waits for a response. */
const maxTurnMs = 20_000;

type TransactionOptions = {
  /** How long to retry; a function decides by the latest attempt. */
  limitMs?: number | (() => number);
  /**
   * Names the resource that concurrent transactions change too, such as a contact. Of those that met a conflict over it, this process
   * repeats one at a time, in order: repeated all at once, they conflict with each other until most give up. `limitMs` counts from
   * its turn, so each is repeated at least once.
   */
  contendsFor?: string | undefined;
  /** With `contendsFor`: first attempts take turns as well, so that many at once leave others their part of the machine. */
  oneAtATime?: boolean;
};

const maxPoolSize = 100;

/** How many transactions of consumers a process runs at once. The other connections are free for callers, who come first. */
const maxInBackground = maxPoolSize / 2;

/** The client, the service's own database and its transactions. Connects on `start` or first use. */
export function createMongo({ url, database, service }: { url: string; database: string; service: string }) {
  const client = new MongoClient(url, {
    appName: service,
    // The default of MongoDB 4.0 acknowledges a write before it is durable.
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 5_000,
    maxPoolSize,
    ignoreUndefined: false,
  });
  const db = client.db(database);
  const pool = watchPool(client, maxPoolSize);
  const inTurn = createInTurn();

  /**
   * Runs `work` in one transaction and commits it. On a conflict with another transaction, the whole of `work` is repeated with
   * backoff and jitter for up to `limitMs`, then SERVICE_UNAVAILABLE is thrown. Any other error aborts the transaction and is rethrown.
   */
  async function transaction<Result>(
    origin: Origin,
    work: (tx: Transaction) => Promise<Result>,
    { limitMs = maxConflictMs, contendsFor, oneAtATime = false }: TransactionOptions = {},
  ): Promise<Result> {
    let began = Date.now();
    const giveUpAt = () => began + (typeof limitMs === 'number' ? limitMs : limitMs());
    return client.withSession(async (session) => {
      let conflict: MongoError | undefined;
      /** Undefined after a conflict. */
      async function attempt(): Promise<{ result: Result } | undefined> {
        const effects: (() => void)[] = [];
        session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } });
        try {
          const result = await work({ ...origin, session, afterCommit: (effect) => effects.push(effect) });
          await commit(session, giveUpAt());
          for (const effect of effects) effect();
          return { result };
        } catch (error) {
          if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
          const isConflict = error instanceof MongoError && error.hasErrorLabel('TransientTransactionError') && !isMongoUnavailable(error);
          if (!isConflict) throw error;
          conflict = error;
          return undefined;
        }
      }

      async function repeat(): Promise<Result> {
        for (let repeated = 0; Date.now() <= giveUpAt(); repeated += 1) {
          await pause(backoff(repeated, 4, 200));
          const done = await attempt();
          if (done) return done.result;
        }
        throw tooManyChanges(conflict);
      }
      function inItsTurn(work: () => Promise<Result>): Promise<Result> {
        if (contendsFor === undefined) return work();
        const queuedAt = Date.now();
        return inTurn(contendsFor, () => {
          if (Date.now() - queuedAt > maxTurnMs) throw tooManyChanges(conflict);
          // Its time begins with its turn: a first attempt on a busy machine may have taken all of it.
          began = Date.now();
          return work();
        });
      }
      const firstThen = async (next: () => Promise<Result>) => {
        const done = await attempt();
        return done ? done.result : next();
      };
      return oneAtATime ? inItsTurn(() => firstThen(repeat)) : firstThen(() => inItsTurn(repeat));
    });
  }

  return {
    client,
    db,
    pool,
    /** One slot for each transaction of a consumer. */
    background: createSlots(maxInBackground),
    transaction,

    /** Resolves once MongoDB responds, however long it takes, or the signal aborts. */
    async start(onWait: (error: unknown) => void, signal?: AbortSignal) {
      for (let attempt = 0; !signal?.aborted; attempt += 1) {
        try {
          // The driver closes a topology whose first connection failed; only `connect` creates another.
          await client.connect();
          await db.command({ ping: 1 });
          return;
        } catch (error) {
          onWait(error);
          await pause(backoff(attempt, 250, 2_000), signal);
        }
      }
    },
    stop: () => client.close(),
    ready: () =>
      db.command({ ping: 1 }, { timeoutMS: 2_000 }).then(
        () => true,
        () => false,
      ),
  };
}

const tooManyChanges = (cause: MongoError | undefined) =>
  new ApiError('SERVICE_UNAVAILABLE', 'Too many concurrent changes to the same resource; try again.', { retryAfter: 1, cause });

/** Retries a commit whose outcome is unknown; MongoDB gives the same result for the same transaction. */
async function commit(session: ClientSession, giveUpAt: number) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      const unknown = error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
      if (!unknown || Date.now() > giveUpAt) throw error;
      await pause(backoff(attempt, 10, 500));
    }
  }
}

export const isDuplicateKey = (error: unknown): error is MongoServerError => error instanceof MongoServerError && error.code === 11_000;

/** Error codes of a server that is stopping, stepping down or not primary (MongoDB's retryable errors). */
const unavailableCodes = new Set<unknown>([6, 7, 89, 91, 189, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436]);

const unavailableNames = new Set([
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoServerClosedError',
  'MongoOperationTimeoutError',
]);

/** Whether the error means that MongoDB is unavailable or changing its primary. */
export function isMongoUnavailable(error: unknown): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    (error instanceof MongoServerError && unavailableCodes.has(error.code)) ||
    // A bulk write without a response wraps the reason.
    (error instanceof MongoBulkWriteError && isMongoUnavailable(error.errorResponse)) ||
    (error instanceof MongoError && unavailableNames.has(error.name))
  );
}

/** Whether a dependency is unavailable: the request itself is fine, and a retry may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  isMongoUnavailable(error) || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE');

/**
 * Creates a collection and its indexes if they are missing; MongoDB 4.0 cannot create them in a transaction. It checks first,
 * because creating them locks the whole database even if they exist: a transaction that a killed process left open would block the
 * start, and every other process, until MongoDB aborts it after a minute.
 */
export async function prepareCollection<T extends Document>(
  collection: Collection<T>,
  indexes: readonly IndexDescription[],
  db: Db,
  options: CreateCollectionOptions = {},
) {
  const { collectionName } = collection;
  const exists = await db.listCollections({ name: collectionName }, { nameOnly: true }).hasNext();
  if (!exists) {
    await db.createCollection(collectionName, options).catch((error: unknown) => {
      const madeMeanwhile = error instanceof MongoServerError && error.code === 48;
      if (!madeMeanwhile) throw error;
    });
  }
  const present = new Set(exists ? (await collection.indexes()).map(indexMark) : []);
  const missing = indexes.filter((index) => !present.has(indexMark(index)));
  if (missing.length > 0) await collection.createIndexes(missing);
}

/** Identifies an index by its definition. An index with the same key and different options makes `createIndexes` fail, as it should. */
const indexMark = ({ key, unique, expireAfterSeconds, partialFilterExpression }: IndexDescription) =>
  JSON.stringify([Object.entries(key), unique === true, expireAfterSeconds ?? null, partialFilterExpression ?? null]);

/** An error that restarts the transaction it is thrown in, with a newer snapshot. */
export function transientError(why: string): MongoError {
  const error = new MongoError(why);
  error.addErrorLabel('TransientTransactionError');
  return error;
}
