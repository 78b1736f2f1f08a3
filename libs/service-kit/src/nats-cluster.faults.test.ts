import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AccountChanged } from '@mp/contracts/events/platform';
import { streams } from '@mp/contracts/streams';
import { newId, trustedId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { contextKeys, cursorKeys } from '@mp/test-kit/test-parts';
import { type Consumer, createConsumer, on } from './consume.ts';
import { createParts } from './service-parts.ts';

const withinMs = 120_000;

test('three nats-servers are killed in turn under load: nothing is lost, and publishing and consuming resume each time', async (t) => {
  const { nats, partsWith } = await cluster(t);
  const { publish, taken, published, streamInfo, standing } = await partsWith({ NATS_STREAM_REPLICAS: 3 });
  assert.deepEqual([(await streamInfo()).config.num_replicas, (await streamInfo()).cluster?.replicas?.length], [3, 2]);
  let written = 0;
  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1) await publish();
    written += count;
  };
  for (const index of [0, 1, 2]) {
    await write(50);
    await nats.kill(index);
    await write(50);
    await eventually(async () => (await taken()) === written, withinMs);
    await nats.start(index);
    await nats.ready(index);
    await eventually(async () => (await streamInfo()).cluster?.replicas?.every(({ current }) => current), withinMs);
  }
  // Also kill the leader of the stream once.
  await write(50);
  const leader = nats.indexOf((await streamInfo()).cluster?.leader);
  await nats.kill(leader);
  await write(50);
  await eventually(async () => (await taken()) === written, withinMs).catch(async (cause) => {
    throw new Error(`${written} events were written: ${await standing()}`, { cause });
  });
  await eventually(async () => (await published()) === written, withinMs);
});

test('a service updates the replicas and limit of existing streams when it starts', async (t) => {
  const { partsWith } = await cluster(t);
  const before = await partsWith({});
  await before.publish();
  await eventually(async () => (await before.taken()) === 1, withinMs);
  const { config } = await before.streamInfo();
  assert.deepEqual([config.num_replicas, config.max_bytes], [1, -1]);
  const later = await partsWith({ NATS_STREAM_REPLICAS: 3, NATS_STREAM_MAX_BYTES: 50_000_000 });
  const info = await later.streamInfo();
  assert.deepEqual([info.config.num_replicas, info.config.max_bytes, info.state.messages], [3, 50_000_000, 1]);
  await eventually(async () => (await later.streamInfo()).cluster?.replicas?.filter(({ current }) => current).length === 2, withinMs);
});

test('streams that cannot get their replicas are used unchanged', async (t) => {
  const { partsWith } = await cluster(t, 1);
  const before = await partsWith({});
  await before.publish();
  await eventually(async () => (await before.taken()) === 1, withinMs);
  const later = await partsWith({ NATS_STREAM_REPLICAS: 3 });
  await before.consumer.stop();
  await later.publish();
  await eventually(async () => (await later.taken()) === 2, withinMs);
});

test('when the only server of a stream loses its disk, events that were not consumed are published again', async (t) => {
  const { nats, partsWith } = await cluster(t);
  const { publish, taken, streamInfo, consumer, consume, losses } = await partsWith({ NATS_STREAM_REPLICAS: 1 });
  for (let n = 0; n < 20; n += 1) await publish();
  await eventually(async () => (await taken()) === 20, withinMs);
  await consumer.stop();
  for (let n = 0; n < 20; n += 1) await publish();
  await eventually(async () => (await streamInfo()).state.messages === 40, withinMs);
  const keeper = nats.indexOf((await streamInfo()).cluster?.leader);
  await nats.kill(keeper);
  await nats.wipe(keeper);
  await nats.start(keeper);
  await nats.ready(keeper);
  await eventually(async () => (await losses()) === 1, withinMs);
  await eventually(async () => (await streamInfo()).state.messages === 40, withinMs);
  consume();
  await eventually(async () => (await taken()) === 40, withinMs);
});

async function cluster(t: TestContext, count = 3) {
  const nats = await startNatsServers(t, { count });
  const { mongoUrl } = await testInfra();
  const database = `test_cluster_${newId('event')}`;

  async function partsWith(limits: { NATS_STREAM_REPLICAS?: number; NATS_STREAM_MAX_BYTES?: number }) {
    const parts = createParts({
      name: 'gateway',
      database,
      MONGODB_URL: mongoUrl,
      NATS_URL: nats.url,
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      CONTEXT_KEYS: contextKeys,
      CURSOR_KEYS: cursorKeys,
      ...limits,
    });
    const { mongo, broker, outbox, relay } = parts;
    await mongo.start(() => undefined);
    await parts.prepare();
    const rows = mongo.db.collection('taken');
    await mongo.db.createCollection('taken').catch(() => undefined);
    const consumers: Consumer[] = [];
    const consume = () => {
      const consumer = createConsumer(parts, {
        name: 'gateway-test',
        stream: streams.platform,
        filter: 'platform.>',
        handlers: [on(AccountChanged, async (tx, { id }) => void (await rows.insertOne({ id }, { session: tx.session })))],
      });
      consumers.push(consumer);
      consumer.start();
      return consumer;
    };
    broker.start();
    relay.start();
    const consumer = consume();
    t.after(async () => {
      for (const one of consumers) await one.stop();
      await relay.stop();
      await broker.stop();
      for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) await mongo.db.dropCollection(name);
      await mongo.stop();
    });
    await broker.connected();
    return {
      consumer,
      consume,
      publish: () =>
        mongo.transaction({ correlationId: 'req_12345678', causationId: null }, (tx) =>
          outbox.add(tx, AccountChanged, trustedId<'account'>('account_1'), { account_id: 'account_1' }),
        ),
      taken: () => rows.countDocuments(),
      published: () => mongo.db.collection('outbox').countDocuments({ published_at: { $exists: true } }),
      /** What a test that waits in vain shows. */
      standing: async () => {
        const [events, waiting] = [
          await rows.countDocuments(),
          await mongo.db.collection('outbox').countDocuments({ published_at: { $exists: false } }),
        ];
        const { manager } = await broker.connected();
        const state = await manager.streams.info(streams.platform.name).catch(String);
        const durables = await manager.consumers.info(streams.platform.name, 'gateway-test').catch(String);
        return JSON.stringify({ events, waiting, state, durables });
      },
      losses: async () => (await mongo.db.collection('streams').findOne({}))?.losses,
      streamInfo: () =>
        eventually(async () => (await broker.connected()).manager.streams.info(streams.platform.name).catch(() => undefined), withinMs),
    };
  }

  return { nats, partsWith };
}
