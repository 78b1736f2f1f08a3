import { freePort } from '@mp/local-infra/free-port';
import { MongoClient } from 'mongodb';
import { GenericContainer, Wait } from 'testcontainers';

export type ContainerInfra = { mongoUrl: string; natsUrl: string; release: () => Promise<void> };

/**
 * Starts MongoDB and NATS as containers, in the versions that users run: `TEST_INFRA=containers`. TEST_MONGO_IMAGE and
 * TEST_NATS_IMAGE select other images; TEST_CONTAINERS_NETWORK=host is for an engine without a bridge network.
 */
export async function startContainers(env: NodeJS.ProcessEnv = process.env): Promise<ContainerInfra> {
  const onHost = env.TEST_CONTAINERS_NETWORK === 'host';

  async function run(image: string, port: number, command: (port: number) => string[], ready: RegExp) {
    const inside = onHost ? await freePort() : port;
    const container = new GenericContainer(image).withCommand(command(inside)).withWaitStrategy(Wait.forLogMessage(ready));
    const started = await (onHost ? container.withNetworkMode('host') : container.withExposedPorts(port)).start();
    return {
      address: onHost ? `127.0.0.1:${inside}` : `${started.getHost()}:${started.getMappedPort(port)}`,
      inside,
      stop: () => started.stop(),
    };
  }

  const nats = await run(env.TEST_NATS_IMAGE ?? 'nats:2', 4222, (port) => ['--jetstream', '--port', `${port}`], /Server is ready/);
  const mongo = await run(
    env.TEST_MONGO_IMAGE ?? 'mongo:8',
    27_017,
    (port) => ['mongod', '--replSet', 'rs0', '--port', `${port}`],
    /waiting for connections/i,
  );
  const mongoUrl = `mongodb://${mongo.address}/?directConnection=true`;
  await formReplicaSet(mongoUrl, `127.0.0.1:${mongo.inside}`);
  return {
    mongoUrl,
    natsUrl: `nats://${nats.address}`,
    release: async () => {
      await Promise.all([mongo.stop(), nats.stop()]);
    },
  };
}

async function formReplicaSet(url: string, member: string) {
  const client = new MongoClient(url);
  const admin = client.db('admin');
  await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: member }] } });
  while (!(await admin.command({ isMaster: 1 })).ismaster) await new Promise((resolve) => setTimeout(resolve, 50));
  await client.close();
}
