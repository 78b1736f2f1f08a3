import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { testCounting } from '../../test/counting.ts';
import { createReportJobsStore } from './report-jobs-store.ts';
import { createReportWorker } from './report-worker.ts';

test('a report keeps its lease while the database has not returned the first event', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { logger } = parts;
  const { db } = parts.mongo;
  const jobs = createReportJobsStore(db);
  await jobs.prepare();
  const sorted = Promise.withResolvers<void>();
  const counting = testCounting(parts);
  const stores = {
    ...counting,
    events: {
      ...counting.events,
      async *byPerson() {
        await sorted.promise;
        yield* [];
      },
    },
  };
  const worker = createReportWorker({ jobs, stores, logger, renewEveryMs: 10 });
  t.after(() => worker.stop());
  const accountId = newId('account');
  const steps = [{ page: '/' }, { event: 'signup' }];
  const { id } = await jobs.queue(accountId, 'funnel', { steps, background: true });
  worker.start();

  const rows = db.collection<{ _id: string; status: string; lease_until: Date }>('report_jobs');
  const lease = async () => (await rows.findOne({ _id: id, status: 'running' }))?.lease_until;
  const first = await eventually(lease);
  await eventually(async () => ((await lease()) ?? first) > first);
  sorted.resolve();
  const done = await eventually(async () => {
    const job = await jobs.get(accountId, id);
    return job.status === 'completed' && job;
  });
  assert.equal(done.result?.events_read, 0);
});
