import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedRoutes } from '../routes/generated-config.ts';

test('what cannot be undone takes a recent proof: credentials, who may do what, how users sign in, and exports of contacts', () => {
  const guarded = generatedRoutes().filter(({ step_up }) => step_up);
  assert.deepEqual(guarded.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'DELETE /v2/settings/identity-providers/{id}',
    'POST /v2/contacts/exports',
    'POST /v2/settings/api-keys',
    'POST /v2/settings/api-keys/{id}/rotate',
    'POST /v2/settings/domains/{id}/verify',
    'POST /v2/settings/identity-providers',
    'POST /v2/settings/oauth-clients',
    'POST /v2/settings/oauth-clients/{id}/rotate',
    'POST /v2/settings/roles',
    'POST /v2/settings/users',
    'POST /v2/settings/users/{id}/invite',
    'POST /v2/settings/users/{id}/unlink',
    'PUT /v2/settings/account',
    'PUT /v2/settings/api-keys/{id}',
    'PUT /v2/settings/identity-providers/{id}',
    'PUT /v2/settings/oauth-clients/{id}',
    'PUT /v2/settings/roles/{id}',
    'PUT /v2/settings/users/{id}',
  ]);
});
