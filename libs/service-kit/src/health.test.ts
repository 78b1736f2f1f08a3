import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testParts } from '@mp/test-kit/test-parts';
import { createServer } from './create-server.ts';
import { createHealth } from './health.ts';

test('a draining service reports not ready, still responds, and closes connections', async (t) => {
  const parts = await testParts(t, 'kit');
  const app = createServer(parts);
  const health = createHealth(parts);
  health.addRoutes(app);
  const read = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url });
    return [statusCode, headers.connection];
  };
  assert.deepEqual(await read('/health/ready'), [503, 'keep-alive']);
  health.serve(true);
  assert.deepEqual(await read('/health/ready'), [200, 'keep-alive']);
  health.serve(false);
  assert.deepEqual(await read('/health/ready'), [503, 'close']);
  assert.deepEqual(await read('/health/live'), [200, 'close']);
});

test('checks the database at most once a second, however many requests arrive', async (t) => {
  const parts = await testParts(t, 'kit');
  const ready = t.mock.method(parts.mongo, 'ready');
  const app = createServer(parts);
  createHealth(parts).addRoutes(app);
  const responses = await Promise.all(Array.from({ length: 50 }, () => app.inject({ url: '/health/dependencies' })));
  assert.ok(responses.every(({ body }) => JSON.parse(body).mongodb === 'ok'));
  const { now } = performance;
  const calls = ready.mock.callCount();
  assert.ok(calls < 5, `${calls} times`);
  t.mock.method(performance, 'now', () => now.call(performance) + 1_000);
  await app.inject({ url: '/health/dependencies' });
  assert.ok(ready.mock.callCount() > calls);
});
