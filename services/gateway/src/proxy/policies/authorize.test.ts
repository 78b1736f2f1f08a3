import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requiresAdmin } from '@mp/contracts/permissions';
import { generatedRoutes } from '../routes/generated-config.ts';

test('what gives a secret that outlives the grant of an application is closed to applications, or needs the permission admin', () => {
  const closed = generatedRoutes().filter(({ outlives_grants }) => outlives_grants);
  assert.deepEqual(closed.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'POST /v2/campaigns/providers',
    'POST /v2/leadpulse/sites',
    'POST /v2/leadpulse/sites/{id}/rotate-secret',
  ]);
  const secrets = [
    'GET /v2/workflows/{id}/hook',
    'GET /v2/workflows/webhook-secret',
    'POST /v2/webhooks',
    'POST /v2/webhooks/{id}/rotate-secret',
  ];
  const found = generatedRoutes().filter(({ method, path }) => secrets.includes(`${method} ${path}`));
  assert.equal(found.length, secrets.length);
  for (const { path, scope } of found) assert.ok(scope !== null && requiresAdmin(scope), path);
});
