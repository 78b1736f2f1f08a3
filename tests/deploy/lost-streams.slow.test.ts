import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ContactDeleted } from '@mp/contracts/events/contacts';
import { streams } from '@mp/contracts/streams';
import { newId, trustedId } from '@mp/ids';
import { createConsumer, on } from '@mp/service-kit/consume';
import { natsAddress } from '@mp/service-kit/nats-address';
import { createParts, type Parts } from '@mp/service-kit/service-parts';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { createNatsOperator } from '@mp/test-kit/nats-credentials';
import { startNatsServers } from '@mp/test-kit/nats-servers';
import { contextKeys, cursorKeys } from '@mp/test-kit/test-parts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { rightsOf } from '../../deploy/nats/users.ts';
import { builtServices } from '../../scripts/generated-files.ts';
import { root } from './chart.ts';
import { services } from './environments.ts';

type Addresses = {
  nats: Awaited<ReturnType<typeof startNatsServers>>;
  /** How a service, or the operator, reaches NATS. */
  of: (name: string) => { NATS_URL: string; NATS_CREDS_FILE?: string };
};

async function oneUser(t: TestContext): Promise<Addresses> {
  const nats = await startNatsServers(t);
  return { nats, of: () => ({ NATS_URL: nats.url }) };
}

async function users(t: TestContext): Promise<Addresses> {
  const env = Object.fromEntries(['operator', ...services].map((name) => [`${name.toUpperCase()}_NATS_PASSWORD`, `p${name}`]));
  const config = await readFile(join(root, 'deploy/nats/users.conf'), 'utf8');
  const nats = await startNatsServers(t, { config, env, user: 'operator:poperator' });
  return { nats, of: (name) => ({ NATS_URL: `nats://${name}:p${name}@127.0.0.1:${nats.port()}` }) };
}

async function credentials(t: TestContext): Promise<Addresses> {
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  t.after(() => rm(folder, { recursive: true }));
  const roles = builtServices().map(({ name, service }) => [name, rightsOf({ name, consumers: service.consumers })]);
  const operator = createNatsOperator(Object.fromEntries(roles));
  const fileOf = (name: string) => join(folder, `${name}.creds`);
  for (const name of ['operator', ...services]) await writeFile(fileOf(name), operator.credentials(name));
  const nats = await startNatsServers(t, { config: operator.config, files: { NATS_CREDS_FILE: fileOf('operator') } });
  return { nats, of: (name) => ({ NATS_URL: nats.url, NATS_CREDS_FILE: fileOf(name) }) };
}

for (const [access, start] of Object.entries({
  'one NATS user for all': oneUser,
  'one NATS user per service': users,
  'a NATS credentials file per service': credentials,
})) {
  test(`events that NATS lost before they were consumed arrive once, without help, with ${access}`, async (t) => {
    const { nats, of } = await start(t);
    const { publisher, subscriber, publish, consume, taken } = await setting(t, of);
    publisher.broker.start();
    publisher.relay.start();
    await publish(5);
    await eventually(async () => (await publisher.outbox.pendingCount()) === 0);

    // NATS loses its disk before anything is consumed.
    await nats.kill(0);
    await nats.wipe(0);
    await nats.start(0);
    const consumer = await consume();
    await eventually(async () => (await taken()) === 5);
    await eventually(async () => (await publisher.outbox.pendingCount()) === 0);
    assert.equal(await losses(publisher), 1);
    assert.equal(await kept(publisher), 5);

    // Deleted while in use: the next published event finds no stream.
    const { NATS_URL, ...files } = of('operator');
    const operator = await connect(natsAddress(NATS_URL, files));
    await (await jetstreamManager(operator)).streams.delete(streams.contacts.name);
    await operator.close();
    await publish(1);
    await eventually(async () => (await taken()) === 6);
    await eventually(async () => (await losses(publisher)) === 2);
    await eventually(async () => (await kept(publisher)) === 6);
    assert.equal(await taken(), 6);
    await consumer.stop();
    await subscriber.broker.stop();
  });
}

async function setting(t: TestContext, of: Addresses['of']) {
  const { mongoUrl } = await testInfra();
  const partsOf = async (name: string) => {
    const parts = createParts({
      name,
      database: `test_lost_${name}_${newId('event')}`,
      MONGODB_URL: mongoUrl,
      ...of(name),
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      CONTEXT_KEYS: contextKeys,
      CURSOR_KEYS: cursorKeys,
    });
    await parts.mongo.start(() => undefined);
    await parts.prepare();
    await parts.mongo.db.createCollection('taken');
    t.after(async () => {
      await parts.relay.stop();
      await parts.broker.stop();
      for (const { name } of await parts.mongo.db.listCollections({}, { nameOnly: true }).toArray())
        await parts.mongo.db.dropCollection(name);
      await parts.mongo.stop();
    });
    return parts;
  };
  const [publisher, subscriber] = [await partsOf('contacts'), await partsOf('segments')];
  const rows = subscriber.mongo.db.collection('taken');

  return {
    publisher,
    subscriber,
    async publish(count: number) {
      for (let n = 0; n < count; n += 1)
        await publisher.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, (tx) =>
          publisher.outbox.add(tx, ContactDeleted, trustedId<'account'>('account_1'), { contact_id: newId('contact'), revision: 1 }),
        );
    },
    async consume() {
      const consumer = createConsumer(subscriber, {
        name: 'segments-contacts',
        stream: streams.contacts,
        filter: 'contacts.contact.>',
        handlers: [on(ContactDeleted, async (tx, { id }) => void (await rows.insertOne({ id }, { session: tx.session })))],
      });
      subscriber.broker.start();
      consumer.start();
      return consumer;
    },
    taken: () => rows.countDocuments(),
  };
}

async function losses({ metrics }: Parts): Promise<number> {
  const value = /^stream_losses\{[^}]*\} (\d+)/m.exec(await metrics.registry.metrics())?.[1];
  return Number(value);
}

/** Reads the stream as the publisher, whose user has access to its own stream. */
async function kept({ broker }: Parts): Promise<number> {
  const { manager } = await broker.connected();
  return (await manager.streams.info(streams.contacts.name)).state.messages;
}
