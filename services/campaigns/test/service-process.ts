import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from '../src/app.ts';
import { linkKeys, quickTimings } from './setting.ts';

/** Runs the service in a separate process, so that a test can kill it. It prints its URL once it is running. */
const { MONGODB_URL = '', NATS_URL = '', DATABASE = '', NAMESPACE = '', SMTP_URL = '' } = process.env;
const parts = createParts({
  name: 'campaigns',
  database: DATABASE,
  NAMESPACE,
  MONGODB_URL,
  NATS_URL,
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  CONTEXT_KEYS: linkKeys,
  CURSOR_KEYS: linkKeys,
});
const service = buildApp(parts, {
  LINK_KEYS: linkKeys,
  PUBLIC_URL: 'http://mail.test',
  SMTP_URL,
  SMTP_CONNECTIONS: 5,
  timings: { ...quickTimings, deliveryMs: 300, claimMs: 1_000, leaseMs: 1_500, freezeLeaseMs: 500 },
});
await parts.mongo.start(() => undefined);
await parts.prepare();
await service.prepare();
parts.broker.start();
parts.relay.start();
for (const consumer of service.consumers) consumer.start();
for (const part of service.background ?? []) part.start();
await parts.broker.connected();
process.stdout.write(await service.app.listen({ host: '127.0.0.1', port: 0 }));
