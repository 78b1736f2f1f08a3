import type { Lane } from '@mp/contracts/lanes';
import type { Consumer } from './consume.ts';
import type { App, Parts } from './service-parts.ts';
import { version } from './version.ts';

/** The metrics that every service has. */
export function exposeServiceMetrics({ metrics, mongo, broker, maintenance }: Parts, { consumers }: Pick<App, 'consumers'>) {
  const ofLanes = (read: (consumer: Consumer, lane: Lane) => Promise<number>) =>
    consumers.flatMap((consumer) =>
      consumer.reads.readers.map(({ lane }) => ({ labels: [consumer.name, lane], read: () => read(consumer, lane) })),
    );
  metrics.labelled(
    'consumer_lag_events',
    'Events of the lane, live or bulk, that this consumer has not applied yet.',
    ['consumer', 'lane'],
    ofLanes((consumer, lane) => consumer.lag(lane)),
  );
  metrics.labelled(
    'consumer_oldest_event_seconds',
    'Age of the oldest event of the lane, live or bulk, that this process has received and not applied; 0 when there is none.',
    ['consumer', 'lane'],
    ofLanes(async (consumer, lane) => consumer.oldestSeconds(lane)),
  );
  const deadLetters = new Map(consumers.map((consumer) => [consumer.name, consumer.deadLetters]));
  metrics.gauges('dead_letters', 'Events in the stream DEAD that this consumer has not applied.', 'consumer', deadLetters);
  metrics.gauge('service_maintenance', '1 while MAINTENANCE is on and nothing leaves the platform.', async () => Number(maintenance));
  metrics.info('build_info', 'Always 1; its labels are the version of the platform and of Node.js.', { version, node: process.version });
  metrics.gauges(
    'dependency_up',
    '1 while the service is connected to this dependency, mongodb or nats.',
    'dependency',
    new Map([
      ['mongodb', async () => Number(await mongo.ready())],
      ['nats', async () => Number(broker.ready())],
    ]),
  );
  const { pool } = mongo;
  metrics.gauges(
    'db_client_connection_count',
    'Connections to MongoDB, by state: idle or used.',
    'db_client_connection_state',
    new Map([
      ['idle', async () => pool.open - pool.used],
      ['used', async () => pool.used],
    ]),
  );
  metrics.gauge('db_client_connection_max', 'Maximum number of connections to each member of MongoDB.', async () => pool.max);
  metrics.gauge('db_client_connection_pending_requests', 'Operations that wait for a connection to MongoDB.', async () => pool.waiting);
}
