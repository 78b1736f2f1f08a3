import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { endOfJob, importFile } from '../services/contacts/test/jobs.ts';
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

test('a bulk job adds contacts to a static segment; a restored contact is in its static segments again', async (t) => {
  const parts = await testParts(t, 'contacts');
  const contacts = await testService(t, parts, buildContacts, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), buildSegments, { live: true });
  const account = testClient(contacts.app).patient();
  const owner = testClient(segments.app, { account_id: account.accountId }).patient();
  const people = Array.from({ length: 150 }, (_, index) => ({ email: `s${index}@members.example`, tags: index % 2 === 0 ? ['vip'] : [] }));
  await account.post('/v2/contacts/batch', { contacts: people });
  const { data: list } = await owner.post('/v2/segments', { name: 'Trade fair', kind: 'static' });
  const { data: dynamic } = await owner.post('/v2/segments', { name: 'Guests', definition: { segment: list.id } });
  await eventually(async () => (await owner.get(`/v2/segments/${dynamic.id}`)).data.status === 'ready');
  const count = async (id: string) =>
    (await owner.get(`/v2/segments/${id}/contacts?limit=1&include=total_count`)).data.pagination.total_count;
  const run = async (body: object) => {
    const response = await account.post('/v2/contacts/bulk', { action: 'add_to_segment', segment_id: list.id, ...body });
    assert.equal(response.status, 202, response.text);
    return (await endOfJob(account, `/v2/contacts/bulk/${response.data.id}`)).rows;
  };
  const vips = { select: { filter: { tag: 'vip' } } };
  assert.deepEqual(await run({ ...vips, dry_run: true }), { selected: 75, changed: 75, unchanged: 0, failed: 0 });
  assert.equal(await count(list.id), 0);
  assert.deepEqual(await run(vips), { selected: 75, changed: 75, unchanged: 0, failed: 0 });
  assert.deepEqual([await count(list.id), await count(dynamic.id)], [75, 75]);
  // As a job repeats its request after a crash.
  const { items } = (await account.get('/v2/contacts?limit=3')).data;
  const contact_ids = items.map(({ id }: { id: string }) => id);
  const again = { account_id: account.accountId, segment_id: list.id, contact_ids, by: 'bulk_1' };
  const first = await parts.broker.request(SegmentMembersAdd, again);
  assert.deepEqual(new Set(first.items.map(({ status }) => status)), new Set(['added', 'already_member']));
  assert.deepEqual(await parts.broker.request(SegmentMembersAdd, again), first);
  const added = first.items.filter(({ status }) => status === 'added').length;
  const everyone = { select: { filter: {} } };
  assert.deepEqual(await run(everyone), { selected: 150, changed: 75 - added, unchanged: 75 + added, failed: 0 });
  assert.deepEqual(await run({ select: { ids: ['contact_unknown'] } }), { selected: 1, changed: 0, unchanged: 0, failed: 1 });
  const adding = { ...everyone, action: 'add_to_segment' };
  for (const body of [{ ...adding, segment_id: dynamic.id }, { ...adding, segment_id: 'segment_unknown' }, adding])
    assert.equal((await account.post('/v2/contacts/bulk', body)).status, 400, JSON.stringify(body));

  const { data: found } = await account.get('/v2/contacts?limit=1');
  await account.delete(`/v2/contacts/${found.items[0].id}`);
  const reaches = (wanted: number) => eventually(async () => (await count(list.id)) === wanted && (await count(dynamic.id)) === wanted);
  await reaches(149);
  assert.equal((await account.post(`/v2/contacts/${found.items[0].id}/restore`)).status, 200);
  await reaches(150);
});

test('an import and a batch add their contacts to a static segment, each once', async (t) => {
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const segments = await testService(t, await testParts(t, 'segments'), buildSegments, { live: true });
  const account = testClient(contacts.app).patient();
  const owner = testClient(segments.app, { account_id: account.accountId }).patient();
  const { data: list } = await owner.post('/v2/segments', { name: 'Trade fair', kind: 'static' });
  const { data: dynamic } = await owner.post('/v2/segments', { name: 'Known', definition: { field: 'email', op: 'exists' } });
  const members = async () => {
    const { items } = (await owner.get(`/v2/segments/${list.id}/contacts?limit=100`)).data;
    return items.map(({ id }: { id: string }) => id).sort();
  };
  const emails = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await account.get(`/v2/contacts/${id}`)).data.email)).then((all) => all.sort());

  const people = [{ email: 'one@fair.example' }, { email: 'two@fair.example' }, { email: 'nobody' }];
  const { data: batch } = await account.post('/v2/contacts/batch', { contacts: people, add_to_segment_id: list.id });
  assert.deepEqual(batch.counts, { created: 2, updated: 0, unchanged: 0, error: 1 });
  assert.deepEqual(await emails(await members()), ['one@fair.example', 'two@fair.example']);

  const file = 'email,first_name\ntwo@fair.example,Two\nthree@fair.example,Three\nwrong,\nthree@fair.example,\n';
  const query = `add_to_segment_id=${list.id}`;
  const tried = await importFile(account, file, { query: `${query}&dry_run=true` });
  assert.deepEqual([tried.status, (await members()).length], ['completed', 2]);
  const done = await importFile(account, file, { query });
  assert.deepEqual([done.status, done.add_to_segment_id, done.rows.failed], ['completed', list.id, 1]);
  const all = await members();
  assert.deepEqual(await emails(all), ['one@fair.example', 'three@fair.example', 'two@fair.example']);
  const why = (await owner.get(`/v2/segments/${list.id}/contacts/${all.at(-1)}`)).data;
  assert.equal(why.member, true);
  await importFile(account, file, { query });
  assert.deepEqual(await members(), all, 'again');

  for (const id of [dynamic.id, 'segment_unknown']) {
    const refused = [
      await account.post('/v2/contacts/batch', { contacts: people, add_to_segment_id: id }),
      await account.post(`/v2/contacts/imports?add_to_segment_id=${id}`, file, { 'content-type': 'text/csv' }),
    ];
    for (const { status, error } of refused) assert.deepEqual([status, error.details[0].path], [400, '/add_to_segment_id']);
  }
});
