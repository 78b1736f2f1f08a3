import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { MongoClient } from 'mongodb';
import { startPlatform } from './platform.ts';

test('a bulk job adds each contact to a static segment once, whichever service is killed', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'segments', 'gateway'] });
  const client = await platform.client('--permission', 'read_write', '--account', 'bulk');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `b${index}@bulk.example` }));
  const { data: created } = await client.post('/v2/contacts/batch', { contacts });
  const ids: string[] = created.results.map(({ id }: { id: string }) => id);
  const { data: list } = await client.post('/v2/segments', { name: 'Trade fair', kind: 'static' });
  const { data: added } = await client.post(`/v2/segments/${list.id}/contacts`, { contacts: ids.slice(0, 100).map((id) => ({ id })) });
  assert.equal(added.changed, 100);

  await platform.stop('segments', 'SIGKILL');
  const dying = await platform.start('segments', 'tests/dying-service.ts', ['segments', '3']);
  const gone = new Promise((resolve) => dying.once('exit', resolve));
  const body = { select: { filter: {} }, action: 'add_to_segment', segment_id: list.id };
  // 503 while segments is still starting.
  const { data: job } = await eventually(async () => {
    const response = await client.post('/v2/contacts/bulk', body);
    return response.status === 202 && response;
  });
  await gone;
  const read = async () => (await client.get(`/v2/contacts/bulk/${job.id}`)).data;
  assert.equal((await read()).status, 'running', 'it waits for segments');
  await platform.start('segments');
  // Some progress, so that the kill usually finds the job in the middle.
  const { rows } = await eventually(async () => {
    const now = await read();
    return now.rows.selected > 0 && now;
  });
  await platform.stop('contacts', 'SIGKILL');
  await platform.start('contacts');
  const done = await eventually(async () => {
    const now = await read();
    if (now) assert.ok(now.rows.selected >= rows.selected, 'progress never goes back');
    return now?.status === 'completed' && now;
  });
  assert.deepEqual(done.rows, { selected: 1_000, changed: 900, unchanged: 100, failed: 0 });
  const results = (await client.get(done.results_url)).text.trim().split('\n').slice(1);
  assert.deepEqual(results.map((line) => line.split(',')[0]).sort(), ids.toSorted(), 'one result for each');
  const entered = await writtenEvents(mongo.db(`${platform.namespace}_segments`), { subject: MembershipEntered.subject });
  assert.equal(entered.filter(({ envelope }) => envelope.data.segment_id === list.id).length, 1_000);
});

test('a bulk job starts one run for each contact, whichever service is killed', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'segments', 'workflows', 'gateway'] });
  const client = await platform.client('--permission', 'read_write', '--account', 'bulk');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const workflows = mongo.db(`${platform.namespace}_workflows`);
  const contacts = Array.from({ length: 1_000 }, (_, index) => ({ email: `w${index}@bulk.example` }));
  const { data: created } = await client.post('/v2/contacts/batch', { contacts });
  const ids: string[] = created.results.map(({ id }: { id: string }) => id);
  const steps = [{ id: 'tag', type: 'add_tag', tag: 'welcomed' }];
  const { data: workflow } = await client.post('/v2/workflows', {
    name: 'W',
    trigger: { type: 'manual' },
    entry: { policy: 'every_time' },
    steps,
  });
  await eventually(async () => (await workflows.collection('contacts').countDocuments()) === 1_000);

  await platform.stop('workflows', 'SIGKILL');
  const dying = await platform.start('workflows', 'tests/dying-service.ts', ['workflows', '3']);
  const gone = new Promise((resolve) => dying.once('exit', resolve));
  const body = { select: { filter: {} }, action: 'start_workflow', workflow_id: workflow.id };
  // 503 while workflows is still starting.
  const { data: job } = await eventually(async () => {
    const response = await client.post('/v2/contacts/bulk', body);
    return response.status === 202 && response;
  });
  await gone;
  await platform.start('workflows');
  const read = async () => (await client.get(`/v2/contacts/bulk/${job.id}`)).data;
  await eventually(async () => ((await read())?.rows.selected ?? 0) > 0);
  await platform.stop('contacts', 'SIGKILL');
  await platform.start('contacts');
  const done = await eventually(async () => {
    const now = await read();
    return now?.status === 'completed' && now;
  });
  assert.deepEqual(done.rows, { selected: 1_000, changed: 1_000, unchanged: 0, failed: 0 });
  const runs = await workflows.collection('runs').find({ workflow_id: workflow.id }).project({ contact_id: 1 }).toArray();
  assert.deepEqual(runs.map(({ contact_id }) => contact_id).sort(), ids.toSorted(), 'one run for each');
});
