import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { endOfJob } from '../services/contacts/test/jobs.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';

test('the members of a segment are exported, now or as of a time, and changed by a bulk job', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), buildSegments, { live: true });
  const account = testClient(contacts.app).patient();
  const owner = testClient(segments.app, { account_id: account.accountId }).patient();
  const people = Array.from({ length: 420 }, (_, index) => ({ email: `m${index}@members.example`, tags: index % 2 === 0 ? ['vip'] : [] }));
  const { data } = await account.post('/v2/contacts/batch', { contacts: people });
  const ids: string[] = data.results.map(({ id }: { id: string }) => id);
  const even = ids.filter((_, index) => index % 2 === 0);
  const { data: segment } = await owner.post('/v2/segments', { name: 'VIP', definition: { field: 'tags', op: 'contains', value: 'vip' } });
  const count = async () =>
    (await owner.get(`/v2/segments/${segment.id}/contacts?limit=1&include=total_count`)).data.pagination.total_count;
  const reaches = (wanted: number) => eventually(async () => (await count()) === wanted);
  await reaches(210);
  await eventually(async () => (await owner.get(`/v2/segments/${segment.id}`)).data.status === 'ready');

  const exported = async (filter: object) => {
    const response = await account.post('/v2/contacts/exports', { format: 'ndjson', filter });
    assert.equal(response.status, 202, response.text);
    const job = await endOfJob(account, `/v2/contacts/exports/${response.data.id}`);
    assert.equal(job.filter.segment_id, segment.id);
    const lines = (await account.get(job.download_url)).text.trim().split('\n').filter(Boolean);
    assert.equal(job.rows, lines.length);
    return lines.map((line: string) => JSON.parse(line).id);
  };
  assert.deepEqual(await exported({ segment_id: segment.id }), even.toSorted());

  const before = new Date().toISOString();
  const bulk = async (body: object) => {
    const response = await account.post('/v2/contacts/bulk', { select: { segment_id: segment.id }, ...body });
    assert.equal(response.status, 202, response.text);
    return endOfJob(account, `/v2/contacts/bulk/${response.data.id}`);
  };
  const tagged = await bulk({ action: 'add_tag', tag: 'member' });
  assert.deepEqual(tagged.rows, { selected: 210, changed: 210, unchanged: 0, failed: 0 });
  // Each of these changes removes the contact from the segment that selects it.
  const untagged = await bulk({ action: 'remove_tag', tag: 'vip' });
  assert.deepEqual([untagged.status, untagged.rows.changed], ['completed', 210]);
  await reaches(0);
  assert.deepEqual(await exported({ segment_id: segment.id }), []);
  await account.delete(`/v2/contacts/${even[0]}`);
  assert.deepEqual(await exported({ segment_id: segment.id, as_of: before }), even.slice(1).toSorted(), 'without the one deleted since');

  const rule = { field: 'tags', op: 'contains', value: 'vip' };
  const future = new Date(Date.now() + 3_600_000).toISOString();
  for (const [path, body] of [
    ['/v2/contacts/exports', { filter: { segment_id: 'segment_unknown' } }],
    ['/v2/contacts/exports', { filter: { segment_id: segment.id, as_of: future } }],
    ['/v2/contacts/exports', { filter: { segment_id: segment.id }, rule }],
    ['/v2/contacts/bulk', { select: { segment_id: 'segment_unknown' }, action: 'delete' }],
  ] as const)
    assert.equal((await account.post(path, body)).status, 400, JSON.stringify(body));
});
