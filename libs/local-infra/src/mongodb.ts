import { setTimeout as sleep } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { isAtLeast } from './binary.ts';
import type { ServerKind } from './server.ts';

const replicaSet = 'rs0';

export const mongodb: ServerKind = {
  name: 'mongodb',
  program: 'mongod',
  ports: [27100, 27199],
  patienceMs: 20_000,
  url: (port) => `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
  args: ({ binary, folder, port }) => [
    ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', replicaSet],
    // The default takes half the memory of the machine, the default oplog 5 % of its disk.
    ...['--wiredTigerCacheSizeGB', '1', '--oplogSize', '512'],
    // Its socket would lie in /tmp, where another user's would be in the way.
    ...['--nounixsocket', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // A killed process leaves its transactions open; what they touched is free after this and not only after a minute.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
    // Since 5.0 a signalled server waits 15 s for clients to go elsewhere; there is no elsewhere.
    ...(isAtLeast(binary.version, '5.0.0') ? ['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'] : []),
  ],
  async prepare(port) {
    const client = await directClient(port);
    try {
      await formReplicaSet(client, `127.0.0.1:${port}`);
      while (!isPrimary(await client.db('admin').command({ isMaster: 1 }))) await sleep(20);
    } finally {
      await client.close();
    }
  },
  // On a signal, a primary before 5.0 waits 10 s for a secondary to catch up, and there is none.
  async askToEnd(port) {
    const client = await directClient(port);
    try {
      await client.db('admin').command({ shutdown: 1, force: true, timeoutSecs: 0 });
    } finally {
      await client.close();
    }
  },
};

// The driver takes 40 MB, and most who import this file only want a URL.
const loadDriver = () => import('mongodb');

async function directClient(port: number): Promise<MongoClient> {
  const { MongoClient } = await loadDriver();
  const impatient = { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000, socketTimeoutMS: 20_000 };
  return new MongoClient(`mongodb://127.0.0.1:${port}/`, { directConnection: true, ...impatient });
}

/** Fails unless `url` leads to a replica set with a primary that takes writes. */
export async function checkMongo(url: string): Promise<void> {
  const { MongoClient } = await loadDriver();
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    const answer = await client.db('admin').command({ isMaster: 1 });
    if (!('setName' in answer)) throw new Error('it is not a replica set, and transactions need one');
    if (!isPrimary(answer)) throw new Error('it has no primary that takes writes');
  } catch (error) {
    throw new Error(`MONGODB_URL cannot be used: ${error instanceof Error ? error.message : error}`);
  } finally {
    await client.close();
  }
}

/** One member, known under the port it has today: the port may have been another when the data was written. */
async function formReplicaSet(client: MongoClient, host: string): Promise<void> {
  const config = await client.db('local').collection('system.replset').findOne({});
  const members = [{ _id: 0, host }];
  if (!config) {
    await client.db('admin').command({ replSetInitiate: { _id: replicaSet, members } });
  } else if (config.members?.[0]?.host !== host) {
    await client.db('admin').command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
}

const isPrimary = (answer: Record<string, unknown>) => answer.ismaster === true;
