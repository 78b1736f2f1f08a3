import { createBroker } from '@mp/service-kit/broker';
import { createLogger } from '@mp/service-kit/logger';

/** Deletes the streams of a namespace, which would otherwise stay for a week and fill the storage of the tests' NATS. */
export async function removeStreams(url: string, namespace: string) {
  const broker = createBroker({ url, namespace, service: 'cleaner', logger: createLogger('cleaner', 'silent') });
  broker.start();
  const { manager } = await broker.connected();
  for await (const { config } of manager.streams.list())
    if (config.name.startsWith(broker.streamOf(''))) await manager.streams.delete(config.name);
  await broker.stop();
}
