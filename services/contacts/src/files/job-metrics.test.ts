import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { type Leased, noLease } from '@mp/service-kit/job-lease';
import { metric } from '@mp/test-kit/metric';
import { testParts } from '@mp/test-kit/test-parts';
import { exposeJobMetrics } from './job-metrics.ts';

test('metrics show, for each kind of job, how many are unfinished and how long the oldest has waited for a worker', async (t) => {
  const parts = await testParts(t, 'contacts');
  const { db } = parts.mongo;
  const [active, held] = [newId('account'), newId('account')];
  exposeJobMetrics(parts.metrics, db, { has: (id) => id === held, all: () => [held] });
  const kinds = { import: 'imports', export: 'exports', bulk: 'bulk_jobs' };
  for (const [kind, name] of Object.entries(kinds)) {
    const jobs = db.collection<Leased & { _id: string; account_id: string }>(name);
    const unfinished = () => metric(parts, `contacts_unfinished_jobs{kind="${kind}"`);
    const waited = async () => Math.round((await metric(parts, `contacts_oldest_waiting_job_seconds{kind="${kind}"`)) / 60);
    assert.deepEqual([await unfinished(), await waited()], [0, 0]);

    const waitingFor = (minutes: number) => noLease(new Date(Date.now() - minutes * 60_000));
    await jobs.insertMany([
      { _id: 'oldest', status: 'queued', account_id: active, ...waitingFor(20) },
      { _id: 'other', status: 'running', account_id: active, ...waitingFor(10) },
      { _id: 'held', status: 'queued', account_id: held, ...waitingFor(30) },
      { _id: 'over', status: 'completed', account_id: active, ...waitingFor(40) },
    ]);
    assert.deepEqual([await unfinished(), await waited()], [3, 20], 'without the job of a suspended account');
    await jobs.updateOne({ _id: 'oldest' }, { $set: { status: 'running', lease_until: new Date(Date.now() + 60_000) } });
    assert.deepEqual([await unfinished(), await waited()], [3, 10], 'a worker has it');
    await jobs.updateMany({ status: { $ne: 'completed' } }, { $set: { status: 'completed' } });
    assert.deepEqual([await unfinished(), await waited()], [0, 0]);
  }
});
