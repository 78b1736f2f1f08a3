import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { isAtLeast } from './binary.ts';
import type { ServerKind } from './server.ts';

const replicaSet = 'rs0';
/** A new server takes its first stable checkpoint within a second. One that takes none can be used all the same. */
const checkpointWithinMs = 10_000;

export const mongodb: ServerKind = {
  name: 'mongodb',
  program: 'mongod',
  ports: [27100, 27199],
  patienceMs: 20_000,
  url: (port) => `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
  args: ({ binary, folder, port }) => [
    ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', replicaSet],
    // By default, the cache takes half the memory of the machine, and the oplog 5 % of its disk.
    ...['--wiredTigerCacheSizeGB', '1', '--oplogSize', '512'],
    // By default, mongod looks for changed pages to evict once they fill 5 % of its cache. It finds hardly any between two checkpoints,
    // and MongoDB 4.0 occupies a whole core with looking (docs/decisions/0412).
    ...['--wiredTigerEngineConfigString', 'eviction_dirty_target=20,eviction_dirty_trigger=40'],
    // No socket in /tmp, where it could conflict with that of another user.
    ...['--nounixsocket', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // Transactions that a killed process leaves open are aborted after 10 seconds instead of a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Since 5.0, a signalled server waits 15 s for clients to move to another server; there is none.
    ...(isAtLeast(binary.version, '5.0.0') ? ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'] : []),
  ],
  async prepare(port, folder) {
    const client = await directClient(port);
    try {
      const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
      if (parsed.storage.dbPath !== folder) throw new Error(`port ${port} belongs to another mongod`);
      await formReplicaSet(client, `127.0.0.1:${port}`);
      while (!isPrimary(await client.db('admin').command({ isMaster: 1 }))) await sleep(20);
      const deadline = Date.now() + checkpointWithinMs;
      while (!(await hasStableCheckpoint(client)) && Date.now() < deadline) await sleep(20);
    } finally {
      await client.close();
    }
  },
  // On a signal, a primary before 5.0 waits 10 s for a secondary to catch up; there is none.
  async requestShutdown(port) {
    const client = await directClient(port);
    try {
      await client.db('admin').command({ shutdown: 1, force: true, timeoutSecs: 0 });
    } finally {
      await client.close();
    }
  },
};

// Imported on demand: the driver takes 40 MB, and most importers of this file only need a URL.
const loadDriver = () => import('mongodb');

async function directClient(port: number): Promise<MongoClient> {
  const { MongoClient } = await loadDriver();
  const impatient = { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 20_000 };
  return new MongoClient(`mongodb://127.0.0.1:${port}/`, { directConnection: true, ...impatient });
}

/** Throws unless `url` leads to a replica set with a primary. */
export async function checkMongo(url: string): Promise<void> {
  const { MongoClient } = await loadDriver();
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    const response = await client.db('admin').command({ isMaster: 1 });
    if (!('setName' in response)) throw new Error('it is not a replica set, which transactions require');
    if (!isPrimary(response)) throw new Error('it has no primary');
  } catch (error) {
    throw new Error(`MONGODB_URL cannot be used: ${error instanceof Error ? error.message : error}`);
  } finally {
    await client.close();
  }
}

/** One member with its current port, which may differ from the port at the time the data was written. */
async function formReplicaSet(client: MongoClient, host: string): Promise<void> {
  const config = await client.db('local').collection('system.replset').findOne({});
  const members = [{ _id: 0, host }];
  if (!config) {
    await client.db('admin').command({ replSetInitiate: { _id: replicaSet, members } });
  } else if (config.members?.[0]?.host !== host) {
    await client.db('admin').command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
}

/**
 * Recovery replays the oplog from the last stable checkpoint. A new server that is killed before its first one starts again without
 * its writes, even those that were journaled.
 */
async function hasStableCheckpoint(client: MongoClient): Promise<boolean> {
  const { Timestamp } = await loadDriver();
  const status = await client.db('admin').command({ replSetGetStatus: 1 });
  // The name up to 4.0, and the name since 4.2.
  const taken: unknown = status.lastStableCheckpointTimestamp ?? status.lastStableRecoveryTimestamp;
  return !(taken instanceof Timestamp && taken.isZero());
}

const isPrimary = (response: Record<string, unknown>) => response.ismaster === true;
