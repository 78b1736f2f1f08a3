import { createBroker } from '@mp/service-kit/broker';
import { createLogger } from '@mp/service-kit/logger';

/** What the services of a namespace told each other stays for a week, and would fill the store of the tests' NATS. */
export async function removeStreams(url: string, namespace: string) {
  const broker = createBroker({ url, namespace, service: 'cleaner', logger: createLogger('cleaner', 'silent') });
  broker.start();
  const { manager } = await broker.connected();
  for await (const { config } of manager.streams.list())
    if (config.name.startsWith(broker.streamOf(''))) await manager.streams.delete(config.name);
  await broker.stop();
}
