import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { freePort } from '@mp/local-infra/free-port';
import { acquireInfra } from '@mp/local-infra/infra';
import { eventually } from '@mp/test-kit/eventually';
import { removeStreams } from '@mp/test-kit/remove-streams';
import { createTcpProxy, mongoUrlThrough, type TcpProxy } from '@mp/test-kit/tcp-proxy';
import { testNamespace } from '@mp/test-kit/test-parts';
import { MongoClient } from 'mongodb';

const root = new URL('../', import.meta.url).pathname;
const endWithUs = ['--import', import.meta.resolve('@mp/local-infra/end-with-platform')];
const withinMs = 90_000;

for (const name of serviceNames) {
  test(`${name} can start before MongoDB and NATS, and is ready when they are`, async (t) => {
    const { mongo, nats, start } = await surroundings(t, name);
    const service = await start();
    await service.waits();
    assert.equal((await fetch(`${service.metricsUrl}/health/live`)).status, 200);
    assert.equal(await service.ready(), false);

    // MongoDB starts, and is killed twice while collections and indexes are created.
    let deaths = 0;
    mongo.breakOn((sent) => /createIndexes|\0create\0/.test(sent.toString('latin1')) && ++deaths <= 2);
    await mongo.open();
    await eventually(service.ready, withinMs);
    assert.ok(deaths >= 2, `${deaths}`);

    await nats.open();
    await eventually(async () => (await fetch(`${service.url}/health/dependencies`)).status === 200, withinMs);
  });

  test(`the job that prepares ${name} waits for MongoDB and succeeds`, async (t) => {
    const { mongo, start } = await surroundings(t, name);
    const job = await start('prepare');
    await job.waits();
    await mongo.open();
    assert.deepEqual(await job.exit, [0, null]);
  });
}

test('a service that waits for MongoDB stops on SIGTERM', async (t) => {
  const { start } = await surroundings(t, 'contacts');
  const service = await start();
  await service.waits();
  service.child.kill('SIGTERM');
  assert.deepEqual(await service.exit, [0, null]);
});

async function surroundings(t: TestContext, name: (typeof serviceNames)[number]) {
  const infra = await acquireInfra({ dir: `${root}.data/test` });
  const [mongo, nats] = [await createTcpProxy(t, infra.mongoUrl), await createTcpProxy(t, infra.natsUrl)];
  const namespace = `${testNamespace}_${mongo.port}`;
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const client = new MongoClient(infra.mongoUrl);
    const database = client.db(`${namespace}_${name}`);
    for (const collection of await database.listCollections({}, { nameOnly: true }).toArray())
      await database.dropCollection(collection.name);
    await client.close();
    await removeStreams(infra.natsUrl, namespace);
    await infra.release();
  });

  async function start(...args: string[]) {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, [...endWithUs, `${root}services/${name}/src/main.ts`, ...args], {
      cwd: `${root}services/${name}`,
      env: { ...process.env, ...infra.env, ...environment({ mongo, nats, namespace }), PORT: `${port}`, METRICS_PORT: `${metricsPort}` },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const exit = once(child, 'exit');
    let log = '';
    child.stdout.on('data', (text) => {
      log += text;
    });
    const url = `http://127.0.0.1:${port}`;
    return {
      child,
      exit,
      url,
      metricsUrl: `http://127.0.0.1:${metricsPort}`,
      waits: () => eventually(async () => log.includes('MongoDB is unavailable'), withinMs),
      ready: () =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => status === 200,
          () => false,
        ),
    };
  }

  return { mongo, nats, start };
}

const environment = ({ mongo, nats, namespace }: { mongo: TcpProxy; nats: TcpProxy; namespace: string }) => ({
  NAMESPACE: namespace,
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  MONGODB_URL: mongoUrlThrough(mongo),
  NATS_URL: `nats://127.0.0.1:${nats.port}`,
});
