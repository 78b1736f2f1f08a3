import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';
import { startPlatform } from './platform.ts';

/** Two groups of 200 events, which workflows may have been applying when it learned of the cancellation. */
const inFlight = 400;

test('a cancelled import starts no further runs, even if workflows is killed and events arrive again', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'segments', 'workflows', 'gateway'] });
  const client = await platform.client('--permission', 'admin');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const workflows = mongo.db(`${platform.namespace}_workflows`);
  const definition = { field: 'address.city', op: 'eq', value: 'Berlin' };
  const berlin = (await client.post('/v2/segments', { name: 'Berlin', definition })).data.id;
  await eventually(async () => (await client.get(`/v2/segments/${berlin}`)).data.status === 'ready');
  const trigger = { type: 'segment_entered', segment_id: berlin };
  const { data: workflow } = await client.post('/v2/workflows', { name: 'W', trigger, steps: [{ id: 'end', type: 'exit' }] });
  const runs = () => workflows.collection('runs').countDocuments({ workflow_id: workflow.id });

  const rows = Array.from({ length: 20_000 }, (_, index) => `c${index}@example.com,Berlin`);
  const file = ['email,address.city', ...rows].join('\n');
  const { data: job } = await client.call('POST', '/v2/contacts/imports', file, { 'content-type': 'text/csv' });
  const read = async () => (await client.get(`/v2/contacts/imports/${job.id}`)).data;
  await eventually(async () => (await runs()) > 0);
  // So that rows are imported whose consequences wait.
  platform.signal('segments', 'SIGSTOP');
  const before = (await read()).rows.read;
  await eventually(async () => (await read()).rows.read >= before + 1_000);
  const cancelled = await client.post(`/v2/contacts/imports/${job.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await eventually(async () => (await workflows.collection<{ _id: string }>('cancelled_imports').findOne({ _id: job.id })) !== null);
  const atCancellation = await runs();
  platform.signal('segments', 'SIGCONT');
  // Some of what waited has reached workflows, usually in the middle of a group.
  const applied = () => workflows.collection<{ _id: string }>('inbox').countDocuments({ _id: /^workflows-memberships/ });
  const atFirst = await applied();
  await eventually(async () => (await applied()) > atFirst);
  await platform.stop('workflows', 'SIGKILL');
  const started = await runs();
  await platform.start('workflows');

  const { created } = cancelled.data.rows;
  await eventually(async () => (await applied()) === created);
  assert.equal(await runs(), started);
  assert.ok(started <= atCancellation + inFlight && started < created, `${started} runs of ${created} contacts`);
});
