import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';
import { createReportJobsStore } from './report-jobs-store.ts';

const request = { steps: [{ page: '/' }, { event: 'signup' }] };

test('report jobs', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const jobs = createReportJobsStore(parts.mongo.db);

  await t.test('a completed report is reused for five minutes, and can be read for an hour after that', async () => {
    const { accountId } = testClient(app);
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const after = (minutes: number) => jobs.queue(accountId, 'funnel', request, at(minutes));
    const complete = async (id: string, minutes: number) => {
      const job = await jobs.claim(at(minutes));
      assert.equal(job?.id, id);
      await jobs.complete(job, { steps: [] });
    };
    const { id } = await after(0);
    await complete(id, 0);
    assert.equal((await after(4)).id, id);
    const next = await after(6);
    assert.deepEqual([next.id === id, next.status], [false, 'queued']);
    assert.equal((await jobs.get(accountId, id)).status, 'completed');
    await complete(next.id, 7);
  });

  await t.test('at most 20 reports of an account wait, however many are requested at once; others are not delayed', async () => {
    const stored = parts.mongo.db.collection('report_jobs');
    for (let round = 0; round < 5; round += 1) {
      const { accountId } = testClient(app);
      const queued = Array.from({ length: 40 }, (_, index) => jobs.queue(accountId, 'funnel', { ...request, index }));
      const settled = await Promise.allSettled(queued);
      const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      assert.deepEqual([await stored.countDocuments({ account_id: accountId }), settled.length - refused.length], [20, 20]);
      for (const error of refused) assert.deepEqual([error.code, error.retryAfter], ['RATE_LIMITED', 10]);
    }
    const { accountId } = testClient(app);
    const twins = await Promise.all(Array.from({ length: 40 }, () => jobs.queue(accountId, 'funnel', request)));
    assert.equal(new Set(twins.map(({ id }) => id)).size, 1, 'the same report is one job');
    assert.equal((await jobs.queue(testClient(app).accountId, 'funnel', request)).status, 'queued');
    await stored.deleteMany({});
  });

  await t.test('a job whose process ended runs again, and fails permanently after three attempts', async () => {
    const account = testClient(app);
    const far = Date.now() + 3_600_000;
    const later = (attempt: number) => new Date(far + attempt * 120_000);
    const { id } = await jobs.queue(account.accountId, 'funnel', request, new Date(far));
    for (const attempt of [1, 2, 3]) {
      const claimed = await jobs.claim(later(attempt));
      assert.deepEqual([claimed?.id, claimed?.attempts], [id, attempt]);
      assert.equal(await jobs.claim(later(attempt)), undefined, 'a claimed job is not claimed again');
      if (claimed && attempt === 3) await jobs.fail(claimed, 'no luck', false);
    }
    const { data } = await account.get(`/v2/leadpulse/reports/${id}`);
    assert.deepEqual([data.status, data.error], ['failed', 'no luck']);
  });
});
