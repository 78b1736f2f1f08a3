import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { buildApp } from '../app.ts';
import { createReportJobsStore } from './report-jobs-store.ts';

const request = { steps: [{ page: '/' }, { event: 'signup' }] };

test('report jobs', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const jobs = createReportJobsStore(parts.mongo.db);

  await t.test('a completed report is reused for five minutes, and can be read for an hour after that', async () => {
    const { accountId } = testClient(app);
    const after = (minutes: number) => jobs.queue(accountId, 'funnel', request, new Date(Date.now() + minutes * 60_000));
    const { id } = await after(0);
    await jobs.complete({ id, accountId, kind: 'funnel', request: {}, attempts: 0 }, { steps: [] });
    assert.equal((await after(4)).id, id);
    const next = await after(6);
    assert.deepEqual([next.id === id, next.status], [false, 'queued']);
    assert.equal((await jobs.get(accountId, id)).status, 'completed');
    await jobs.complete({ id: next.id, accountId, kind: 'funnel', request: {}, attempts: 0 }, { steps: [] });
  });

  await t.test('a job whose process ended runs again, and fails permanently after three attempts', async () => {
    const account = testClient(app);
    const far = Date.now() + 3_600_000;
    const { id } = await jobs.queue(account.accountId, 'funnel', request, new Date(far));
    for (const attempt of [1, 2, 3]) {
      const claimed = await jobs.claim(far + attempt * 120_000);
      assert.deepEqual([claimed?.id, claimed?.attempts], [id, attempt]);
      assert.equal(await jobs.claim(far + attempt * 120_000), undefined, 'a claimed job is not claimed again');
      if (claimed && attempt === 3) await jobs.fail(claimed, 'no luck', false);
    }
    const { data } = await account.get(`/v2/leadpulse/reports/${id}`);
    assert.deepEqual([data.status, data.error], ['failed', 'no luck']);
  });
});
