import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

test('an import starts workflows unless it is asked not to', async (t) => {
  const platform = await startPlatform(t);
  const client = await platform.client('--permission', 'admin');
  const definition = { field: 'address.city', op: 'eq', value: 'Berlin' };
  const berlin = (await client.post('/v2/segments', { name: 'Berlin', definition })).data.id;
  const fair = (await client.post('/v2/segments', { name: 'Fair', kind: 'static' })).data.id;
  // Members that enter by the first build of a segment enter because of the build.
  for (const id of [berlin, fair]) await eventually(async () => (await client.get(`/v2/segments/${id}`)).data.status === 'ready');
  const steps = [{ id: 'end', type: 'exit' }];
  const triggers = [
    { type: 'contact_created' },
    { type: 'contact_updated' },
    { type: 'segment_entered', segment_id: berlin },
    { type: 'segment_entered', segment_id: fair },
  ];
  const created = await Promise.all(triggers.map((trigger) => client.post('/v2/workflows', { name: trigger.type, trigger, steps })));
  const ids = created.map(({ data }) => String(data.id));
  await client.post('/v2/contacts', { email: 'known@example.com' });
  const runs = (id: string) => client.get(`/v2/workflows/${id}/runs?limit=100`).then(({ data }) => data.items);
  await eventually(async () => (await runs(ids[0] ?? '')).length === 1);

  const send = async (names: readonly string[], query: string) => {
    const rows = names.map((name) => JSON.stringify({ email: `${name}@example.com`, address: { city: 'Berlin' } })).join('\n');
    const path = `/v2/contacts/imports?add_to_segment_id=${fair}${query}`;
    const { status, data } = await client.call('POST', path, rows, { 'content-type': 'application/x-ndjson' });
    assert.equal(status, 202, JSON.stringify(data));
    await eventually(async () => (await client.get(`/v2/contacts/imports/${data.id}`)).data.status === 'completed');
    return (await client.get(`/v2/contacts/imports/${data.id}`)).data;
  };
  const quiet = await send(['known', 'a', 'b', 'c'], '&start_workflows=false');
  assert.deepEqual([quiet.start_workflows, quiet.rows.created, quiet.rows.updated], [false, 3, 1]);
  for (const id of [berlin, fair]) await eventually(async () => (await client.get(`/v2/segments/${id}`)).data.count === 4);
  const loud = await send(['d'], '');
  assert.equal(loud.start_workflows, true);
  // Its events follow those of the first import.
  for (const index of [0, 2, 3]) await eventually(async () => (await runs(ids[index] ?? '')).length >= (index === 0 ? 2 : 1));
  const email = async (id: string) => String((await client.get(`/v2/contacts/${id}`)).data.email).split('@')[0];
  const started = async (id: string) => {
    const found: { contact_id: string }[] = await runs(id);
    return (await Promise.all(found.map(({ contact_id }) => email(contact_id)))).sort();
  };
  // `known` and `d` were created otherwise; `d` entered both segments.
  assert.deepEqual(await Promise.all(ids.map(started)), [['d', 'known'], [], ['d'], ['d']]);
});
