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
  const ask = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url });
    return [statusCode, headers.connection];
  };
  assert.deepEqual(await ask('/health/ready'), [503, 'keep-alive']);
  health.serve(true);
  assert.deepEqual(await ask('/health/ready'), [200, 'keep-alive']);
  health.serve(false);
  assert.deepEqual(await ask('/health/ready'), [503, 'close']);
  assert.deepEqual(await ask('/health/live'), [200, 'close']);
});

test('checks the database at most once a second, however many requests arrive', async (t) => {
  const parts = await testParts(t, 'kit');
  const ready = t.mock.method(parts.mongo, 'ready');
  const app = createServer(parts);
  createHealth(parts).addRoutes(app);
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject({ url: '/health/dependencies' })));
  assert.ok(answers.every(({ body }) => JSON.parse(body).mongodb === 'ok'));
  const { now } = performance;
  const asked = ready.mock.callCount();
  assert.ok(asked < 5, `${asked} times`);
  t.mock.method(performance, 'now', () => now.call(performance) + 1_000);
  await app.inject({ url: '/health/dependencies' });
  assert.ok(ready.mock.callCount() > asked);
});
