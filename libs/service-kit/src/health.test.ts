import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testParts } from '@mp/test-kit/parts';
import { createServer } from './create-server.ts';
import { createHealth } from './health.ts';

test('a service that drains is not ready, still answers, and sends its callers to another connection', async (t) => {
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
