import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, smallest } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('only who may activate workflows creates an active one, activates it, or changes what it does', async (t) => {
  const { app } = await testService(t, await testParts(t, 'workflows'), (own) => buildApp(own, config));
  const admin = testClient(app, { permission: 'admin' });
  const author = admin.as({ scopes: ['workflows:read', 'workflows:write'] });
  const refused = await author.post('/v2/workflows', { ...smallest, status: 'active' });
  assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
  assert.match(refused.error.message, /lacks the scope workflows:activate/);
  assert.equal((await author.post('/v2/workflows', smallest)).status, 403, 'active is the default');

  const { data } = await author.post('/v2/workflows', { ...smallest, status: 'draft' });
  const path = `/v2/workflows/${data.id}`;
  const steps = [{ id: 'wait', type: 'delay', for: 'P3D' }];
  assert.equal((await author.put(path, { steps })).status, 200, 'a draft');
  assert.equal((await author.post(`${path}/activate`, {})).status, 403);
  assert.equal((await admin.post(`${path}/activate`, {})).status, 200);
  assert.equal((await author.put(path, { name: 'Renamed' })).status, 200);
  assert.equal((await author.put(path, { steps: [{ id: 'wait', type: 'delay', for: 'P9D' }] })).status, 403);
  assert.equal((await author.post(`${path}/pause`, {})).status, 200);
});
