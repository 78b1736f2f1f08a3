import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountChanged } from '@mp/contracts/events/platform';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { countContacts } from './contacts.ts';
import { endOfJob, importFile } from './jobs.ts';
import { publishEvent } from './publish-event.ts';

const rows = 20_000;

type JobRow = { _id: string; status: string; lease: string | null };
type ImportRow = JobRow & { rows: { read: number } };
type BulkRow = JobRow & { rows: { selected: number } };
type StatusRow = { _id: string; status: string };

test('imports, exports and bulk jobs of a suspended account pause and resume when the suspension ends; those of others continue', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const [held, other] = [testClient(app), testClient(app)];
  const set = (account: Client, status: 'active' | 'suspended', revision: number) =>
    publishEvent(parts, account.accountId, { event: AccountChanged, data: { account_id: account.accountId, status, revision } });
  const rowOf = (collection: string, id: string) => parts.mongo.db.collection<JobRow>(collection).findOne({ _id: id });
  const readOf = async (id: string) => (await parts.mongo.db.collection<ImportRow>('imports').findOne({ _id: id }))?.rows.read ?? 0;
  const isSuspended = (account: Client, status: string) =>
    eventually(
      async () => (await parts.mongo.db.collection<StatusRow>('account_statuses').findOne({ _id: account.accountId, status })) !== null,
    );

  const file = `email\n${Array.from({ length: rows }, (_, n) => `row${n}@example.com`).join('\n')}\n`;
  const { data: job } = await held.post('/v2/contacts/imports', file, { 'content-type': 'text/csv' });
  await eventually(async () => (await readOf(job.id)) > 0);
  await set(held, 'suspended', 2);
  await isSuspended(held, 'suspended');
  // The current chunk is written, then the import is released.
  await eventually(async () => (await rowOf('imports', job.id))?.lease === null);
  const stopped = await readOf(job.id);
  assert.ok(stopped > 0 && stopped < rows, `${stopped} rows`);

  const { data: exported } = await held.post('/v2/contacts/exports', { format: 'csv' });
  assert.equal((await importFile(other, 'email\nada@example.com\n')).status, 'completed');
  const { data: neighbours } = await other.post('/v2/contacts/exports', { format: 'csv' });
  assert.equal((await endOfJob(other, `/v2/contacts/exports/${neighbours.id}`)).status, 'completed');
  assert.equal(await readOf(job.id), stopped);
  assert.deepEqual([(await rowOf('imports', job.id))?.status, (await rowOf('exports', exported.id))?.status], ['running', 'queued']);

  await set(held, 'active', 3);
  const done = await endOfJob(held, `/v2/contacts/imports/${job.id}`);
  assert.deepEqual([done.status, done.rows.read, done.rows.created], ['completed', rows, rows]);
  assert.equal(await countContacts(held), rows);
  assert.equal((await endOfJob(held, `/v2/contacts/exports/${exported.id}`)).status, 'completed');

  const bulk = { select: { filter: {} }, action: 'add_tag', tag: 'vip' };
  const selectedOf = async (id: string) => (await parts.mongo.db.collection<BulkRow>('bulk_jobs').findOne({ _id: id }))?.rows.selected ?? 0;
  const { data: tagging } = await held.post('/v2/contacts/bulk', bulk);
  await eventually(async () => (await selectedOf(tagging.id)) > 0);
  await set(held, 'suspended', 4);
  await isSuspended(held, 'suspended');
  await eventually(async () => (await rowOf('bulk_jobs', tagging.id))?.lease === null);
  const tagged = await selectedOf(tagging.id);
  assert.ok(tagged < rows, `${tagged} contacts`);
  const { data: theirs } = await other.post('/v2/contacts/bulk', bulk);
  assert.deepEqual((await endOfJob(other, `/v2/contacts/bulk/${theirs.id}`)).rows.changed, 1);
  assert.deepEqual([(await rowOf('bulk_jobs', tagging.id))?.status, await selectedOf(tagging.id)], ['running', tagged]);
  await set(held, 'active', 5);
  await eventually(async () => (await selectedOf(tagging.id)) > tagged);
});
