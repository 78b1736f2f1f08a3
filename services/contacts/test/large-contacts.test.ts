import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import { endOfJob, importFile } from './jobs.ts';

/** 62 KiB of text, each value short enough to be indexed without hashing. */
const attributes = Object.fromEntries(Array.from({ length: 155 }, (_, index) => [`a${index}`, 'x'.repeat(398)]));

/** MongoDB 4.0 limits a transaction to 16 MiB: about 80 of these with their events, or the lines of 260. */
test('contacts of the maximum size', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const some = Array.from({ length: 110 }, (_, index) => `l${index}@large.example`);
  const emails = [...some, ...Array.from({ length: 170 }, (_, index) => `m${index}@more.example`)];
  for (let from = 0; from < emails.length; from += 140) {
    const contacts = emails.slice(from, from + 140).map((email) => ({ email, attributes }));
    assert.equal((await account.post('/v2/contacts/batch', { contacts })).data.counts.created, 140);
  }

  await t.test('are changed in order by a batch of small changes', async () => {
    const contacts = some.map((email, index) =>
      index === 60 ? { email, timezone: 'Mars/Olympus' } : { email, attributes: { a0: `C${index}` } },
    );
    const response = await account.post('/v2/contacts/batch', { contacts });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual([response.data.counts.updated, response.data.counts.error, response.data.results[60].status], [109, 1, 'error']);
    const { data } = await account.get('/v2/contacts?email=l109@large.example');
    assert.deepEqual([data.items[0].attributes.a0, data.items[0].revision], ['C109', 2]);
  });

  await t.test('are changed by a file of small rows, each counted once, invalid ones with their row number', async () => {
    const rows = some.map((email, index) => `${index === 70 ? 'nope' : email},J${index}`);
    const job = await importFile(account, ['email,attributes.a1', ...rows].join('\n'));
    assert.deepEqual([job.status, job.rows], ['completed', { read: 110, created: 0, updated: 109, unchanged: 0, failed: 1 }]);
    assert.match((await account.get(job.errors_url)).text, /\n71,email,/);
  });

  await t.test('are all updated by the suppression of their domain', async () => {
    await account.post('/v2/contacts/suppressions', { domain: 'large.example' });
    const suppressed = async () => (await account.get('/v2/contacts?status=suppressed&limit=1&include=total_count')).data.pagination;
    await eventually(async () => (await suppressed()).total_count === some.length);
  });

  await t.test('are exported completely', async () => {
    const { data } = await account.post('/v2/contacts/exports', { format: 'ndjson' });
    const job = await endOfJob(account, `/v2/contacts/exports/${data.id}`);
    assert.deepEqual([job.status, job.rows], ['completed', emails.length]);
    const lines = (await account.get(job.download_url)).text.trim().split('\n');
    assert.equal(new Set(lines.map((line) => JSON.parse(line).email)).size, emails.length);
  });
});
