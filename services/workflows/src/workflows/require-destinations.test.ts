import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('only who may create webhooks lets a workflow send data to a new URL', async (t) => {
  const { app } = await testService(t, await testParts(t, 'workflows'), (own) => buildApp(own, config));
  const admin = testClient(app, { permission: 'admin' });
  const hook = (url: string) => ({ id: 'call', type: 'webhook', url });
  const workflow = (...steps: object[]) => ({ name: 'Sync', trigger: { type: 'manual' }, steps });
  const first = hook('https://crm.example.com/in');
  for (const lesser of [admin.as({ permission: 'read_write' }), admin.as({ scopes: ['workflows:write', 'workflows:activate'] })]) {
    const refused = await lesser.post('/v2/workflows', workflow(first));
    assert.deepEqual([refused.status, refused.error?.code], [403, 'FORBIDDEN']);
    assert.match(
      refused.error.message,
      /^The step call sends data of the account to a new URL\. .*(permission admin|scope webhooks:write)\.$/,
    );
    const made = await lesser.post('/v2/workflows', workflow({ id: 'wait', type: 'delay', for: 'P1D' }));
    assert.equal(made.status, 201, 'without such a step');
    assert.equal((await lesser.put(`/v2/workflows/${made.data.id}`, { steps: [first] })).status, 403);
  }
  const { status, data } = await admin
    .as({ scopes: ['workflows:write', 'workflows:activate', 'webhooks:write'] })
    .post('/v2/workflows', workflow(first));
  assert.equal(status, 201);
  const editor = admin.as({ permission: 'read_write' });
  const waits = { id: 'wait', type: 'delay', for: 'P2D', next: 'call' };
  assert.equal((await editor.put(`/v2/workflows/${data.id}`, { steps: [waits, first] })).status, 200, 'a URL that the workflow has stays');
  assert.equal((await editor.put(`/v2/workflows/${data.id}`, { steps: [hook('https://other.example.com/in')] })).status, 403);
});
