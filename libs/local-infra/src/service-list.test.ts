import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listServices } from './service-list.ts';

test('the links of every service lead to the gateway, whatever its port', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const services = await listServices(root, {}, 18_080, 'http://localhost:18080');
  assert.equal(services.length, 6);
  assert.deepEqual(
    services.filter(({ env }) => env.PUBLIC_URL !== 'http://localhost:18080').map(({ name }) => name),
    [],
  );
});
