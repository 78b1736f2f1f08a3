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

test('a restored contact exists again in every service', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const leadpulse = await testService(t, await testParts(t, 'leadpulse'), buildLeadpulse, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), buildSegments, { live: true });
  const workflows = await testService(t, await testParts(t, 'workflows'), (parts: Parts) => buildWorkflows(parts, config), { live: true });
  const account = testClient(contacts.app);
  const in_ = ({ app }: typeof contacts) => testClient(app, { account_id: account.accountId });

  const create = async (name: string, definition: object): Promise<string> => {
    const { data } = await in_(segments).post('/v2/segments', { name, definition });
    await eventually(async () => (await in_(segments).get(`/v2/segments/${data.id}`)).data.status === 'ready');
    return data.id;
  };
  const tagged = await create('Tagged', { field: 'tags', op: 'contains', value: 'vip' });
  const buyers = await create('Buyers', { event: 'order_placed', in_last: 'P30D' });
  const membersOf = async (id: string): Promise<string[]> =>
    (await in_(segments).get(`/v2/segments/${id}/contacts`)).data.items.map(({ id }: { id: string }) => id);
  const isIn = async (wanted: string[]) =>
    eventually(async () => JSON.stringify([await membersOf(tagged), await membersOf(buyers)]) === JSON.stringify([wanted, wanted]));

  const { data: workflow } = await in_(workflows).post('/v2/workflows', {
    name: 'Welcome',
    trigger: { type: 'contact_created' },
    steps: [{ id: 'end', type: 'exit', reason: 'done' }],
  });
  await in_(workflows).post(`/v2/workflows/${workflow.id}/activate`);
  const runs = async () => (await in_(workflows).get(`/v2/workflows/${workflow.id}/runs`)).data.items.length;

  const { data: contact } = await account.post('/v2/contacts', { email: 'ada@restored.example', tags: ['vip'] });
  const buy = () => in_(leadpulse).post('/v2/leadpulse/track', { event: 'order_placed', visitor_id: 'v1', email: 'ada@restored.example' });
  await buy();
  await isIn([contact.id]);
  await eventually(async () => (await runs()) === 1);

  await account.delete(`/v2/contacts/${contact.id}`);
  await isIn([]);
  const visitors = async (query: string) => (await in_(leadpulse).get(`/v2/leadpulse/visitors?${query}`)).data.items.length;
  await eventually(async () => (await visitors('identified=true')) === 0);

  const { data: restored } = await account.post(`/v2/contacts/${contact.id}/restore`);
  assert.equal(restored.id, contact.id);
  await isIn([contact.id]);
  await buy();
  await eventually(async () => (await visitors(`contact_id=${contact.id}`)) === 1);
  const trigger = () => in_(workflows).post(`/v2/workflows/${workflow.id}/trigger`, { contact_id: contact.id });
  const started = await eventually(async () => {
    const response = await trigger();
    return response.status === 202 && response.data;
  });
  assert.ok(started);
  assert.ok((await runs()) <= 2, 'the restore does not trigger contact_created');
});
