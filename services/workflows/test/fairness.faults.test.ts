import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, trustedId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../src/app.ts';
import type { RunDocument } from '../src/runs/run-document.ts';
import { createRunsStore } from '../src/runs/runs-store.ts';
import { config, fakeServices, knownContacts, sleeper } from './setting.ts';
import { storedRun } from './stored-run.ts';

const due = Number(process.env.DUE ?? 100_000);
const others = 200;
const spreadMs = 20_000;
const maxLateMs = 2_000;

test(`${due} due runs of one account delay the runs of another by at most ${maxLateMs} ms at the 99th percentile`, async (t) => {
  await fakeServices(t);
  const parts = await testParts(t, 'workflows');
  const { app } = await testService(t, parts, (own) => buildApp(own, config));
  const [busy, other] = [testClient(app), testClient(app)];
  const runs = createRunsStore(parts.mongo.db, parts.cursors, () => undefined);
  const steps = [{ ...sleeper.steps[0], next: null }];

  const sleep = async (account: typeof busy, dueAt: readonly Date[]) => {
    const { data: workflow } = await account.post('/v2/workflows', { ...sleeper, entry: { policy: 'every_time' }, steps });
    for (let from = 0; from < dueAt.length; from += 2_000) {
      const chunk = dueAt.slice(from, from + 2_000);
      const ids = await knownContacts(parts, account.accountId, chunk.length);
      const begun = chunk.map((due_at, index) => {
        const waiting = { for: 'time', until: due_at.toISOString() } as const;
        const own = {
          account_id: account.accountId,
          id: newId('run'),
          workflow_id: trustedId<'workflow'>(workflow.id),
          contact_id: ids[index] ?? assert.fail(),
        };
        const run = { ...storedRun({ due: due_at.getTime() }), ...own, step: 'wait', waiting, sequence: 1, due_at };
        return { run, locks: [`entry ${run.id}`], watches: [], log: [], passages: [], first: 'wait' };
      });
      await parts.mongo.transaction({ correlationId: 'fairness', causationId: null }, (tx) => runs.insertMany(tx, begun, new Date()));
    }
  };
  const hour = new Date(Date.now() - 60 * 60 * 1_000);
  await sleep(
    busy,
    Array.from({ length: due }, () => hour),
  );
  const begin = Date.now() + 10_000;
  await sleep(
    other,
    Array.from({ length: others }, (_, index) => new Date(begin + (index * spreadMs) / others)),
  );
  assert.ok(Date.now() < begin, 'the runs were not written in time');

  const live = buildApp(parts, config);
  live.engine.start();
  t.after(() => live.engine.stop());
  await pause(begin - Date.now() + spreadMs);
  const stored = parts.mongo.db.collection<RunDocument>('runs');
  const ofOther = { account_id: other.accountId, state: 'completed' as const };
  await eventually(async () => (await stored.countDocuments(ofOther)) === others);
  const ended = await stored.find(ofOther).toArray();
  const delays = ended.map(({ ended_at, data }) => (ended_at?.getTime() ?? 0) - Number(JSON.parse(data).due)).sort((a, b) => a - b);
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  const left = await stored.countDocuments({ account_id: busy.accountId, state: 'waiting' });
  t.diagnostic(
    `delay p50 ${delays[delays.length / 2]} ms, p99 ${p99} ms, max ${delays.at(-1)} ms; ${due - left} of the ${due} runs ended meanwhile`,
  );
  assert.ok(left > 0, 'the busy account was still busy');
  assert.ok(p99 <= maxLateMs, `p99 ${p99} ms`);
});
