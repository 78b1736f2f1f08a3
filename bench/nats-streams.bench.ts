import { natsAddress } from '@mp/service-kit/nats-address';
import { eventually } from '@mp/test-kit/eventually';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { compare, comparison, quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { resourcesOf } from './gateway/pinned.ts';

/**
 * What one stream carries, with one copy and with three: one process publishes envelopes with an id as the relay does, then one process
 * consumes them with explicit acks as a consumer does. BENCH_MESSAGES and BENCH_ROUNDS for a short run.
 */
const messages = Number(process.env.BENCH_MESSAGES ?? 50_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const bytes = 1_024;
/** As in libs/service-kit/src/relay.ts and pull-events.ts. */
const publishedAtOnce = 500;
const fetchedAtOnce = 250;

const cleanUps: (() => Promise<void>)[] = [];
const nats = await startNatsServers({ after: (cleanUp) => void cleanUps.push(cleanUp) }, { count: 3 });
const connection = await connect({ ...natsAddress(nats.url), noAsyncTraces: true });
const client = jetstream(connection, { timeout: 30_000 });
const manager = await jetstreamManager(connection, { timeout: 30_000 });
const envelope = JSON.stringify({ type: 'bench.message.published', data: '' });
const payload = envelope.replace('""', `"${'x'.repeat(bytes - envelope.length)}"`);

/** Processor seconds of the three servers for a message. */
const spent = new Map<string, number[]>();
const cpuSeconds = async () => {
  const used = await Promise.all(nats.pids().map(resourcesOf));
  return used.reduce((sum, one) => sum + one.cpuSeconds, 0);
};

/** A candidate that returns messages per second, and notes what the servers spent on them. */
const measured = (name: string, prepare: () => Promise<void>, work: () => Promise<void>) => ({
  name,
  async run() {
    await prepare();
    const [before, began] = [await cpuSeconds(), performance.now()];
    await work();
    const seconds = (performance.now() - began) / 1_000;
    spent.set(name, [...(spent.get(name) ?? []), ((await cpuSeconds()) - before) / messages]);
    return messages / seconds;
  },
});

const streamOf = (replicas: number) => `BENCH_R${replicas}`;
const durable = 'bench';

async function makeStream(replicas: number) {
  const name = streamOf(replicas);
  await manager.streams.delete(name).catch(() => undefined);
  // A cluster that has just started may not have enough servers yet.
  await eventually(() =>
    manager.streams.add({ name, subjects: [`bench.r${replicas}.>`], num_replicas: replicas }).catch((): undefined => undefined),
  );
}

async function publishAll(replicas: number) {
  for (let first = 0; first < messages; first += publishedAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(publishedAtOnce, messages - first) }, (_, index) =>
        client.publish(`bench.r${replicas}.message.published.v1`, payload, { msgID: `event_${first + index}` }),
      ),
    );
}

async function makeConsumer(replicas: number) {
  await manager.consumers.add(streamOf(replicas), { durable_name: durable, ack_policy: AckPolicy.Explicit, max_ack_pending: -1 });
}

async function consumeAll(replicas: number) {
  const consumer = await client.consumers.get(streamOf(replicas), durable);
  for (let taken = 0; taken < messages; )
    for await (const message of await consumer.fetch({ max_messages: fetchedAtOnce, expires: 30_000 })) {
      taken += 1;
      if (taken < messages) message.ack();
      // Acks are handled in turn, so the last one stands for all.
      else await message.ackAck();
    }
}

const published = (replicas: number) =>
  measured(
    `published, R${replicas}`,
    () => makeStream(replicas),
    () => publishAll(replicas),
  );
const consumed = (replicas: number) =>
  measured(
    `consumed, R${replicas}`,
    () => makeConsumer(replicas),
    () => consumeAll(replicas),
  );
const figures = await compare('NATS: what a stream carries', 'messages/s', [published(1), published(3), consumed(1), consumed(3)], rounds);
await writeResults({
  name: 'nats-streams',
  title: 'NATS: what a stream carries',
  how: `three nats-servers on this machine, and one process that publishes ${messages.toLocaleString('en')} messages of ${bytes} bytes with an id, ${publishedAtOnce} at once, until the stream has acknowledged them, and then consumes them, ${fetchedAtOnce} at once, with an ack for each; streams with one copy (R1) and with three (R3), on file; ${rounds} interleaved rounds after a warm-up. Servers and client share the machine.`,
  table: comparison('messages/s', figures),
  aims: [...spent].map(([name, [, ...seconds]]) => [
    `${name}: µs of processor time of all servers for a message`,
    'reported',
    (
      quantile(
        seconds.toSorted((a, b) => a - b),
        0.5,
      ) * 1_000_000
    ).toFixed(0),
  ]),
});
await connection.close();
for (const cleanUp of cleanUps) await cleanUp();
process.exit(0);
