import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AccountChanged } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { newId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { namespace, startParts } from './in-process.ts';

/**
 * What helps a consumer that is behind: more concurrency, more replicas, or applying events in groups. Each candidate reads the same
 * events under a name of its own. BENCH_EVENTS and BENCH_ROUNDS for a short run.
 */
const events = Number(process.env.BENCH_EVENTS ?? 4_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

const parts = await startParts('gateway');
const { mongo, broker, outbox, relay } = parts;
const taken = mongo.db.collection('taken');
await taken.createIndex({ name: 1 });
broker.start();
relay.start();
await broker.connected();
for (let written = 0; written < events; written += 200) {
  await mongo.transaction({ correlationId: 'req_bench000', causationId: null }, async (tx) => {
    for (let one = 0; one < 200; one += 1) {
      const accountId = newId('account');
      await outbox.add(tx, AccountChanged, accountId, { account_id: accountId });
    }
  });
}
const stored = async () => {
  const { manager } = await broker.connected();
  return (await manager.streams.info(broker.streamOf(streams.platform.name))).state.messages;
};
while ((await stored()) < events) await pause(50);

/** Events per second of so many replicas, from their start until the last event is applied; starting takes under a second. */
async function run(way: 'one by one' | 'groups', concurrency: number, replicas: number) {
  const name = `gateway-${newId('event').slice(-12)}`;
  const began = performance.now();
  const processes = Array.from({ length: replicas }, () => startReplica(name, way, concurrency));
  while ((await taken.countDocuments({ name })) < events) {
    const stopped = processes.find(({ exitCode }) => exitCode !== null);
    if (stopped) throw new Error(`A replica stopped with code ${stopped.exitCode}.`);
    await pause(20);
  }
  const perSecond = events / ((performance.now() - began) / 1_000);
  await Promise.all(processes.map(ended));
  return perSecond;
}

const startReplica = (name: string, way: string, concurrency: number) =>
  spawn(process.execPath, [fileURLToPath(new URL('consumer-process.ts', import.meta.url)), name, way, String(concurrency)], {
    env: { ...process.env, BENCH_NAMESPACE: namespace },
    stdio: ['ignore', 'inherit', 'inherit'],
  });

async function ended(child: ChildProcess) {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

const figures = await compare(
  'A consumer that is behind',
  'events/s',
  [
    { name: 'one by one, concurrency 64', run: () => run('one by one', 64, 1) },
    { name: 'one by one, concurrency 16', run: () => run('one by one', 16, 1) },
    { name: 'one by one, concurrency 256', run: () => run('one by one', 256, 1) },
    { name: 'one by one, two replicas of 64', run: () => run('one by one', 64, 2) },
    { name: 'groups', run: () => run('groups', 64, 1) },
    { name: 'groups, two replicas', run: () => run('groups', 64, 2) },
  ],
  rounds,
);
await writeResults({
  name: 'consumer-backlog',
  title: 'Consumers: what helps one that is behind',
  how: `${events.toLocaleString('en')} events, each of which writes one row; the time includes the start of the processes; ${rounds} interleaved rounds after a warm-up; MongoDB and NATS on the same machine.`,
  table: comparison('events/s', figures),
  aims: [['more concurrency, or another replica', 'reported', 'see the table']],
});
await relay.stop();
await broker.stop();
await mongo.db.dropDatabase();
await mongo.stop();
await removeStreams(process.env.NATS_URL ?? '', namespace);
process.exit(0);
