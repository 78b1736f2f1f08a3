import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { buildApp as buildLeadpulse } from '../services/leadpulse/src/app.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';
import { buildApp as buildWorkflows } from '../services/workflows/src/app.ts';
import { config } from '../services/workflows/test/setting.ts';

/** Segments with every contact applied, and no LeadPulse events until it catches up. */
function segmentsBehind(parts: Parts) {
  const built = buildSegments(parts);
  const late = built.consumers.filter(({ name }) => name === 'segments-leadpulse');
  const catchUp = () => {
    for (const consumer of late) consumer.start();
  };
  return {
    ...built,
    consumers: built.consumers.map((consumer) => (late.includes(consumer) ? { ...consumer, start: () => undefined } : consumer)),
    catchUp,
  };
}

test('a branch right after an event trigger takes the right path, however far segments lags', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const leadpulse = await testService(t, await testParts(t, 'leadpulse'), buildLeadpulse, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), segmentsBehind, { live: true });
  const inWorkflows = (parts: Parts) => buildWorkflows(parts, config);
  const workflows = await testService(t, await testParts(t, 'workflows'), inWorkflows, { live: true });
  const account = testClient(contacts.app);
  const owner = (app: typeof contacts.app) => testClient(app, { account_id: account.accountId });

  const { data: segment } = await owner(segments.app).post('/v2/segments', {
    name: 'All',
    definition: { field: 'external_id', op: 'exists' },
  });
  await eventually(async () => (await owner(segments.app).get(`/v2/segments/${segment.id}`)).data.status === 'ready');
  const people = Array.from({ length: 20 }, (_, index) => ({ external_id: `user-${index}`, email: `user${index}@branch.example` }));
  assert.equal((await account.post('/v2/contacts/batch', { contacts: people })).status, 200);
  const members = `/v2/segments/${segment.id}/contacts?include=total_count`;
  await eventually(async () => (await owner(segments.app).get(members)).data.pagination.total_count === people.length);

  const { data: workflow } = await owner(workflows.app).post('/v2/workflows', {
    name: 'After an order',
    trigger: { type: 'event', name: 'order_placed', where: { 'value.amount': { gte: 10 } } },
    steps: [
      { id: 'which', type: 'branch', branches: [{ when: { event: 'order_placed', in_last: 'P1D' }, to: 'ordered' }], else: 'wrong' },
      { id: 'ordered', type: 'exit', reason: 'ordered' },
      { id: 'wrong', type: 'exit', reason: 'wrong' },
    ],
  });
  // One more contact, which only the contacts service knows when the event arrives.
  const created = await account.post('/v2/contacts', { external_id: 'user-new', email: 'new@branch.example' });
  assert.equal(created.status, 201);
  const events = [...people.map(({ external_id }) => external_id), 'user-new'].map((external_id) => ({
    ...{ event: 'order_placed', external_id, value: { amount: 12, currency: 'EUR' } },
  }));
  assert.equal((await owner(leadpulse.app).post('/v2/leadpulse/track', { events })).status, 202);

  type Run = { state: string; reason: string | null; data: { value: { amount: number } } };
  const runs = async (): Promise<Run[]> => (await owner(workflows.app).get(`/v2/workflows/${workflow.id}/runs?limit=100`)).data.items;
  await eventually(async () => (await runs()).length === events.length);
  assert.ok(
    (await runs()).every(({ state, data }) => state === 'waiting' && data.value.amount === 12),
    'no run takes a path before segments has caught up',
  );
  segments.catchUp();
  const ended = await eventually(async () => {
    const found = await runs();
    return found.every(({ state }) => state === 'exited') && found;
  });
  assert.deepEqual(new Set(ended.map(({ reason }) => reason)), new Set(['ordered']));
});
