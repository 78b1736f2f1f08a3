import { readFile } from 'node:fs/promises';
import { serviceNames } from '@mp/contracts/services';
import { streams } from '@mp/contracts/streams';
import { pause } from '@mp/service-kit/backoff';
import { natsAddress } from '@mp/service-kit/nats-address';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import type { Platform } from './platform.ts';

/** What a request to MongoDB can be; a bulk write is one. */
const counted = [
  ...['find', 'getMore', 'insert', 'update', 'delete', 'findAndModify', 'aggregate', 'count', 'distinct'],
  ...['commitTransaction', 'abortTransaction'],
];

export type Spent = { commands: number; documents: number; commits: number; aborts: number; mongoCpuMs: number; cpuMs: number };

/** Tells what a platform and its servers have spent so far, what they store, and when nothing is left to do. */
export async function observe({ infra, namespace, processes }: Pick<Platform, 'infra' | 'namespace' | 'processes'>) {
  const { MONGODB_URL = '', NATS_URL = '' } = infra.env;
  const mongo = await MongoClient.connect(MONGODB_URL);
  const nats = await connect(natsAddress(NATS_URL));
  const manager = await jetstreamManager(nats);
  const databaseOf = (service: string) => mongo.db(`${namespace}_${service}`);
  const exists = async (service: string, collection: string, filter: object) =>
    (await databaseOf(service)
      .collection(collection)
      .findOne(filter, { projection: { _id: 1 } })) !== null;

  /** Whether every consumer has applied everything, and nothing waits to be published, counted or moved. */
  async function isSettled(withRuns: boolean): Promise<boolean> {
    for (const { name } of Object.values(streams)) {
      if (name === streams.dead.name) continue;
      for await (const info of manager.consumers.list(`${namespace}_${name}`))
        if (info.num_pending + info.num_ack_pending > 0) return false;
    }
    for (const service of serviceNames) if (await exists(service, 'outbox', { pending: true })) return false;
    if (await exists('leadpulse', 'events', { pending: true })) return false;
    return !withRuns || !(await exists('workflows', 'runs', { ended_at: null }));
  }

  return {
    databaseOf,
    mongo,

    /** `others`: the processes of replicas. */
    async spent(others: readonly number[] = []): Promise<Spent> {
      const { metrics, transactions, pid } = await mongo.db('admin').command({ serverStatus: 1 });
      const { inserted, updated, deleted } = metrics.document;
      const own = await Promise.all([...processes().map(([, id]) => id), ...others].map(cpuMsOf));
      return {
        commands: sum(counted.map((name) => Number(metrics.commands[name].total))),
        documents: sum([inserted, updated, deleted].map(Number)),
        commits: Number(transactions.totalCommitted),
        aborts: Number(transactions.totalAborted),
        mongoCpuMs: await cpuMsOf(Number(pid)),
        cpuMs: sum(own),
      };
    },

    /** Bytes in MongoDB with indexes, and in the streams. */
    async stored(): Promise<number> {
      const sizes = serviceNames.map(async (service) => {
        const { storageSize, indexSize } = await databaseOf(service).command({ dbStats: 1 });
        return storageSize + indexSize;
      });
      const streamed = Object.values(streams).map(async ({ name }) => {
        const info = await manager.streams.info(`${namespace}_${name}`).catch(() => undefined);
        return info?.state.bytes ?? 0;
      });
      return sum(await Promise.all([...sizes, ...streamed]));
    },

    /** An event between two looks is in neither place, so several looks must agree. `withRuns`: no run is active either. */
    async untilSettled({ withRuns = true } = {}) {
      for (let looks = 0; looks < 4; looks = (await isSettled(withRuns)) ? looks + 1 : 0) await pause(100);
    },

    async close() {
      await nats.close();
      await mongo.close();
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The CPU time of a process so far, in clock ticks of 10 ms. */
export async function cpuMsOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The memory of a process in MiB, in which what it shares with others counts in part. */
export async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
