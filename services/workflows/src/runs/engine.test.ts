import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuleEvaluated } from '@mp/contracts/requests/segments';
import type { Broker } from '@mp/service-kit/broker';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, fakeServices, knownContacts, smallest } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('branches that wait for segments do not delay timers, and their number is limited', async (t) => {
  const gate = Promise.withResolvers<void>();
  // Before the service stops, because it waits for running jobs.
  t.after(() => gate.resolve());
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  let asking = 0;
  let most = 0;
  const request: Broker['request'] = async (type, payload, replyMs) => {
    if (type.subject === RuleEvaluated.subject) {
      asking += 1;
      most = Math.max(most, asking);
      await gate.promise;
      asking -= 1;
    }
    return parts.broker.request(type, payload, replyMs);
  };
  const { app } = await testService(t, parts, (own) => buildApp({ ...own, broker: { ...own.broker, request } }, config), { live: true });
  const steps = [
    { id: 'which', type: 'branch', branches: [{ when: { field: 'tags', op: 'contains', value: 'vip' }, to: 'end' }], else: 'end' },
    { id: 'end', type: 'exit' },
  ];
  const begin = async (account: Client, count: number, definition: object) => {
    const { data: workflow } = await account.post('/v2/workflows', { ...smallest, ...definition });
    const contacts = (await knownContacts(parts, account.accountId, count)).map((contact_id) => ({ contact_id }));
    const response = await account.post(`/v2/workflows/${workflow.id}/trigger`, { contacts });
    assert.equal(response.status, 202, response.text);
  };
  const accounts = [testClient(app), testClient(app), testClient(app)];
  const runs = parts.mongo.db.collection('runs');
  for (const account of accounts) await begin(account, 50, { steps });
  await eventually(async () => asking === 128);
  const other = testClient(app);
  await begin(other, 1, {});
  await eventually(async () => (await runs.countDocuments({ account_id: other.accountId, state: 'completed' })) === 1);
  assert.equal(asking, 128);
  gate.resolve();
  await eventually(async () => (await runs.countDocuments({ state: 'exited' })) === 150);
  assert.equal(most, 128);
});
