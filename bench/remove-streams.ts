import { natsAddress } from '@mp/service-kit/nats-address';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** What a measurement told stays in the streams for a week, and would fill the store of the tests' NATS. */
export async function removeStreams(namespace: string) {
  const connection = await connect(natsAddress(process.env.NATS_URL ?? ''));
  const manager = await jetstreamManager(connection);
  for await (const { config } of manager.streams.list())
    if (config.name.startsWith(`${namespace}_`)) await manager.streams.delete(config.name);
  await connection.close();
}
