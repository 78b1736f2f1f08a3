import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { endOfJob } from '../../test/jobs.ts';
import { buildApp } from '../app.ts';
import { unendedMax } from './import.ts';

const path = '/v2/contacts/imports';

/** What waits to be worked off, and what becomes of it then. */
test('imports that wait', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app, background = [] } = await testService(t, parts, buildApp);
  const pieces = parts.mongo.db.collection('file_chunks');
  const send = (account: Client, file: string) => account.post(path, file, { 'content-type': 'text/csv' });

  /** Works in the background until this is done. */
  async function working<Result>(until: () => Promise<Result>): Promise<Result> {
    for (const part of background) part.start();
    try {
      return await until();
    } finally {
      await Promise.all(background.map((part) => part.stop()));
    }
  }

  const account = testClient(app);
  const rows = Array.from({ length: 30_000 }, (_, index) => `row${index}@example.com,${'x'.repeat(60)}`);
  const holed = (await send(account, `email,first_name\n${rows.join('\n')}`)).data;
  assert.equal((await pieces.deleteMany({ file_id: holed.id, start: 2 * 1024 * 1024 })).deletedCount, 1);

  const other = testClient(app);
  const cancelled = (await send(other, 'email\na@example.com\n')).data;
  assert.equal((await other.post(`${path}/${cancelled.id}/cancel`)).data.status, 'cancelled');
  assert.equal(await pieces.countDocuments({ file_id: cancelled.id }), 1);

  const many = testClient(app);
  const answers = [];
  for (let index = 0; index <= unendedMax; index += 1) answers.push(await send(many, `email\nm${index}@example.com\n`));
  const last = answers.pop();
  assert.ok(answers.every(({ status }) => status === 202));
  assert.deepEqual([last?.status, last?.error.code, last?.headers['retry-after']], [429, 'RATE_LIMITED', '30']);
  assert.equal(await pieces.countDocuments({ account_id: many.accountId }), unendedMax, 'what is refused is not kept');

  await working(async () => {
    await t.test('a file of which a piece is gone fails with the reason, and says how far it is', async () => {
      const job = await endOfJob(account, `${path}/${holed.id}`);
      assert.deepEqual([job.status, job.error.code], ['failed', 'file_gone']);
      assert.ok(job.rows.created > 0 && job.rows.created < rows.length && job.progress < 1, JSON.stringify(job));
    });
    await t.test('the file of what was cancelled is removed', async () => {
      await eventually(async () => (await pieces.countDocuments({ file_id: cancelled.id })) === 0);
    });
    await t.test('when some have ended, the account may send others', async () => {
      await eventually(async () => (await many.get('/v2/contacts?limit=1&include=total_count')).data.pagination.total_count === unendedMax);
      await eventually(async () => (await send(many, 'email\nlast@example.com\n')).status === 202);
    });
  });
});
