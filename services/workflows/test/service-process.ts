import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from '../src/app.ts';
import { webhookKeys } from './webhook-keys.ts';

/** Runs the service in a separate process that a test can kill. Sends `ready` once it has started. */
const { MONGODB_URL = '', NATS_URL = '', DATABASE = '', NAMESPACE = '' } = process.env;
const parts = createParts({
  name: 'workflows',
  database: DATABASE,
  NAMESPACE,
  MONGODB_URL,
  NATS_URL,
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  CONTEXT_KEYS: webhookKeys,
  CURSOR_KEYS: webhookKeys,
});
const service = buildApp(parts, { NODE_ENV: 'test', WEBHOOK_KEYS: webhookKeys, WEBHOOK_ALLOW_PRIVATE: true, leaseMs: 1_000 });
await parts.mongo.start(() => undefined);
await parts.prepare();
await service.prepare();
parts.broker.start();
parts.relay.start();
for (const consumer of service.consumers) consumer.start();
for (const part of service.background ?? []) part.start();
await parts.broker.connected();
process.stdout.write('ready\n');
