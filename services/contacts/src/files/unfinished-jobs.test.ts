import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

test('an account has at most ten unfinished bulk jobs, and ten exports, however many it requests at once', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { app } = await testService(t, parts, buildApp);
  for (const [path, body, collection] of [
    ['/v2/contacts/bulk', { select: { ids: ['contact_01kjn2v0a7e8ws3q4m5x6y7z8a'] }, action: 'add_tag', tag: 'vip' }, 'bulk_jobs'],
    ['/v2/contacts/exports', {}, 'exports'],
  ] as const) {
    const account = testClient(app);
    const responses = await Promise.all(Array.from({ length: 16 }, () => account.patient().post(path, body)));
    const refused = responses.filter(({ status }) => status === 429);
    const count = await parts.mongo.db.collection(collection).countDocuments({ account_id: account.accountId });
    assert.deepEqual([responses.filter(({ status }) => status === 202).length, refused.length, count], [10, 6, 10], responses[15]?.text);
    assert.match(refused[0]?.error.message, /at most 10 unfinished (bulk jobs|exports); wait until one has ended/);
    assert.ok(Number(refused[0]?.headers['retry-after']) > 0);
    assert.equal((await testClient(app).post(path, body)).status, 202, 'other accounts are not limited by it');
  }
});
