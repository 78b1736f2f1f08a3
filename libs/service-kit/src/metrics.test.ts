import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { newId } from '@mp/ids';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { metric } from '@mp/test-kit/metric';
import { testParts } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createConsumer, on } from './consume.ts';
import { createServer } from './create-server.ts';
import { createHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import { exposeServiceMetrics } from './service-metrics.ts';
import { version } from './version.ts';

test('omits only the metrics that cannot be read', async () => {
  const metrics = createMetrics('kit');
  let away = false;
  metrics.gauge('away', 'A number of a dependency.', async () => {
    if (away) throw new Error('away');
    return 2;
  });
  const readers = new Map([
    ['bad', () => Promise.reject(new Error('away'))],
    ['good', () => Promise.resolve(5)],
  ]);
  metrics.gauges('several', 'A number for each.', 'what', readers);
  assert.match(await metrics.registry.metrics(), /^away\{service="kit"\} 2$/m);
  away = true;
  const text = await metrics.registry.metrics();
  assert.doesNotMatch(text, /^away\{/m);
  assert.doesNotMatch(text, /what="bad"/);
  assert.match(text, /^several\{what="good",service="kit"\} 5$/m);
});

test('the metrics port serves the liveness probe', async (t) => {
  const metrics = createMetrics('kit');
  const port = await freePort();
  await metrics.start('127.0.0.1', port);
  t.after(metrics.stop);
  assert.equal((await fetch(`http://127.0.0.1:${port}/health/live`)).status, 200);
  assert.match(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), /^process_cpu_/m);
});

test('reports the age of pending events and the outcomes of consumed ones', async (t) => {
  const parts = await testParts(t, 'kit');
  const { mongo, outbox, relay, broker } = parts;
  const name = mongo.db.databaseName;
  const event = defineEvent({ type: `${name}.thing.done`, version: 1, meaning: 'A thing was done.', data: z.object({ n: z.number() }) });
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  const value = (sample: string) => metric(parts, sample);
  t.after(async () => (await broker.connected()).manager.streams.delete(broker.streamOf(name)).catch(() => undefined));

  const write = () =>
    mongo.transaction({ correlationId: 'req_1', causationId: null }, (tx) => outbox.add(tx, event, newId('account'), { n: 1 }));
  await write();
  await write();
  assert.equal(await value('outbox_pending_rows'), 2);
  assert.ok((await value('outbox_oldest_event_seconds')) > 0);

  broker.start();
  await broker.ensureStream(stream);
  relay.start();
  await eventually(async () => (await value('outbox_published_events_total')) === 2);
  assert.equal(await value('outbox_pending_rows'), 0);
  assert.equal(await value('outbox_oldest_event_seconds'), 0);

  let held = Promise.withResolvers<void>();
  const consumer = createConsumer(parts, { name, stream, filter: `${name}.>`, handlers: [on(event, () => held.promise)] });
  for (const outcome of ['done', 'failed', 'dead_lettered'])
    assert.equal(await value(`events_consumed_total{consumer="${name}",outcome="${outcome}"`), 0, 'so that an alert sees the first one');
  exposeServiceMetrics(parts, { consumers: [consumer] });
  consumer.start();
  const live = `{consumer="${name}",lane="live"`;
  await eventually(async () => (await value(`consumer_lag_events${live}`)) === 2);
  await eventually(async () => (await value(`consumer_oldest_event_seconds${live}`)) > 0);
  held.resolve();
  await eventually(async () => (await value(`consumer_lag_events${live}`)) === 0);
  assert.equal(await value(`consumer_oldest_event_seconds${live}`), 0);
  assert.equal(await value(`events_consumed_total{consumer="${name}",outcome="done"`), 2);
  assert.equal(await value(`event_age_seconds_count{service="kit",consumer="${name}"`), 2);

  held = Promise.withResolvers<void>();
  await broker.publish(event.subject, 'not an event');
  await eventually(async () => (await value(`events_consumed_total{consumer="${name}",outcome="dead_lettered"`)) === 1);
  assert.equal(await value(`dead_letters{consumer="${name}"`), 1);
  // As the runbook deletes them.
  const { manager } = await broker.connected();
  await manager.streams.purge(broker.streamOf('DEAD'), { filter: broker.subjectOf(`dead.${name}`) });
  assert.equal(await value(`dead_letters{consumer="${name}"`), 0);
  await consumer.stop();
  await relay.stop();
});

test('reports the version, whether its dependencies are connected, and the connections to MongoDB', async (t) => {
  const parts = await testParts(t, 'kit');
  const { mongo, broker } = parts;
  exposeServiceMetrics(parts, { consumers: [] });
  const value = (sample: string) => metric(parts, sample);
  const connections = async () => [
    await value('db_client_connection_count{db_client_connection_state="idle"'),
    await value('db_client_connection_count{db_client_connection_state="used"'),
  ];
  assert.equal(await value(`build_info{version="${version}",node="${process.version}"`), 1);
  assert.deepEqual([await value('dependency_up{dependency="mongodb"'), await value('dependency_up{dependency="nats"')], [1, 0]);
  broker.start();
  await broker.connected();
  assert.equal(await value('dependency_up{dependency="nats"'), 1);
  t.mock.method(mongo, 'ready', async () => false);
  assert.equal(await value('dependency_up{dependency="mongodb"'), 0);

  assert.deepEqual([await value('db_client_connection_max'), await value('db_client_connection_pending_requests')], [100, 0]);
  const [idle = Number.NaN] = await connections();
  assert.ok(idle > 0);
  await mongo.db.collection('rows').insertOne({});
  const slow = mongo.db.collection('rows').find({ $where: 'sleep(500) || true' }).toArray();
  await eventually(async () => (await connections())[1] === 1);
  await slow;
  await eventually(async () => (await connections())[1] === 0);
});

test('measures the requests of each route, but not the probes, which would hide slow ones', async (t) => {
  const parts = await testParts(t, 'kit');
  const app = createServer(parts);
  createHealth(parts).addRoutes(app);
  parts.metrics.observe(app);
  for (const url of ['/health/live', '/health/ready', '/v2/unknown']) await app.inject({ url });
  const counts = (await parts.metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('http_server_request_duration_seconds_count'));
  assert.deepEqual(counts, [
    'http_server_request_duration_seconds_count{service="kit",http_request_method="GET",http_route="none",http_response_status_code="401"} 1',
  ]);
});
