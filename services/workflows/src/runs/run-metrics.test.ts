import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { metric } from '@mp/test-kit/metric';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { config, startedRun } from '../../test/setting.ts';
import { buildApp } from '../app.ts';

test('metrics show how many runs are overdue, and how long the earliest run and schedule have been due', async (t) => {
  const parts = await testParts(t, 'workflows');
  const now = new Date();
  const { app } = await testService(t, parts, (own) => buildApp(own, { ...config, clock: () => now }));
  const account = testClient(app);
  const { runId } = await startedRun(parts, account);
  const runs = parts.mongo.db.collection<{ _id: string; due_at: Date }>('runs');
  const ticks = parts.mongo.db.collection<{ _id: string; account_id: string; due_at: Date }>('ticks');
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const dueSince = (seconds: number) => runs.updateOne({ _id: runId }, { $set: { due_at: secondsAgo(seconds) } });
  const values = () =>
    Promise.all(
      ['workflow_overdue_runs', 'workflow_oldest_overdue_seconds{timer="run"', 'workflow_oldest_overdue_seconds{timer="schedule"'].map(
        (sample) => metric(parts, sample),
      ),
    );

  await dueSince(-1);
  assert.deepEqual(await values(), [0, 0, 0]);
  await dueSince(20);
  assert.deepEqual(await values(), [0, 20, 0], 'a run is overdue after 30 seconds');
  await dueSince(600);
  await ticks.insertOne({ _id: newId('workflow'), account_id: account.accountId, due_at: secondsAgo(400) });
  assert.deepEqual(await values(), [1, 600, 400]);
  await dueSince(-1);
  await ticks.deleteMany({});
  assert.deepEqual(await values(), [0, 0, 0]);
});
