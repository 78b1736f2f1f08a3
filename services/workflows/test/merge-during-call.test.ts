import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactDeleted } from '@mp/contracts/events/contacts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { receiver } from './receiver.ts';
import { config, fakeServices, knownContacts } from './setting.ts';

test('a webhook in flight during a merge is called once and its result counts; during a pause, no next step starts', async (t) => {
  const play = await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, { ...config, WEBHOOK_ALLOW_PRIVATE: true }), { live: true });
  const account = testClient(app, { permission: 'admin' });
  const held: (() => void)[] = [];
  const url = await receiver(t, (request, response) => request.resume().on('end', () => held.push(() => response.end('ok'))));
  const { data: workflow } = await account.post('/v2/workflows', {
    name: 'W',
    trigger: { type: 'manual' },
    steps: [
      { id: 'hook', type: 'webhook', url, next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'called' },
    ],
  });
  const [merged = '', survivor = ''] = await knownContacts(parts, account.accountId, 2);
  const { data } = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: merged });
  const read = async () => (await account.get(`/v2/workflows/runs/${data.runs[0].run_id}`)).data;
  await eventually(async () => held.length === 1);
  await play.publish(ContactDeleted, account.accountId, { contact_id: merged, revision: 2, merged_into: survivor });
  await eventually(async () => (await read()).contact_id === survivor);
  const stored = await parts.mongo.db.collection<{ call_at: Date; claim?: string }>('runs').findOne({ account_id: account.accountId });
  assert.ok(stored?.claim && stored.call_at.getTime() > Date.now(), 'its caller holds it');
  await account.post(`/v2/workflows/${workflow.id}/pause`);
  for (const respond of held) respond();
  await eventually(async () => (await read()).step_id === 'tag');
  assert.deepEqual([play.requests.length, (await read()).state], [0, 'active']);
  await account.post(`/v2/workflows/${workflow.id}/activate`);
  await eventually(async () => (await read()).state === 'completed');
  assert.equal(held.length, 1);
  assert.deepEqual(
    [...play.performed.values()].map(({ contact_id }) => contact_id),
    [survivor],
  );
});
