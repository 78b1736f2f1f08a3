import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId, trustedId } from '@mp/ids';
import { pause } from '@mp/service-kit/backoff';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from '../services/workflows/src/app.ts';
import type { RunStart, StoredRun } from '../services/workflows/src/runs/run-document.ts';
import { createRunsStore } from '../services/workflows/src/runs/runs-store.ts';
import { createPublishReferences } from '../services/workflows/src/workflows/publish-references.ts';
import { CreateWorkflowBody, newWorkflow } from '../services/workflows/src/workflows/workflow.ts';
import { createWorkflowsStore } from '../services/workflows/src/workflows/workflows-store.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * How late timers fire, and the idle CPU cost, with 100,000 sleeping runs: 1,000 of them become due within ten seconds,
 * after five seconds in which none does. BENCH_RUNS=10000 for a short run, of which one in a hundred becomes due.
 */
const sleeping = Number(process.env.BENCH_RUNS ?? 100_000);
const coming = sleeping / 100;
const idleMs = 5_000;
const spreadMs = 10_000;

const keys = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
const namespace = `bench_timers_${process.pid}`;
const parts = createParts({
  name: 'workflows',
  NAMESPACE: namespace,
  MONGODB_URL,
  NATS_URL,
  LOG_LEVEL: 'warn',
  CONTEXT_KEYS: keys,
  CURSOR_KEYS: keys,
});
const { mongo, cursors, outbox } = parts;
const service = buildApp(parts, { NODE_ENV: 'test', WEBHOOK_KEYS: keys, WEBHOOK_ALLOW_PRIVATE: false });
const workflows = createWorkflowsStore(mongo.db, cursors, createPublishReferences(outbox));
const runs = createRunsStore(mongo.db, cursors, console.error);
const origin = { correlationId: 'bench', causationId: null };
const accounts = Array.from({ length: 100 }, () => newId('account'));

await mongo.start(console.error);
await parts.prepare();
await service.prepare();
const body = CreateWorkflowBody.parse({ name: 'Bench', trigger: { type: 'manual' }, steps: [{ id: 'wait', type: 'delay', for: 'P1D' }] });
const workflow = newWorkflow(body, new Date());
const idOf = (accountId: AccountId) => trustedId<'workflow'>(`${workflow.id}${accountId.slice(-4)}`);
for (const accountId of accounts) {
  await mongo.transaction(origin, (tx) => workflows.insert(tx, accountId, { ...workflow, id: idOf(accountId) }));
}

const asleep = (index: number, due: Date): StoredRun => {
  const accountId = accounts[index % accounts.length] ?? newId('account');
  const start: RunStart = {
    account_id: accountId,
    workflow_name: 'Bench',
    trigger: { type: 'api', event_id: null },
    created_at: new Date(),
  };
  return {
    ...start,
    data: { due: due.getTime() },
    id: newId('run'),
    workflow_id: idOf(accountId),
    version: 1,
    contact_id: newId('contact'),
    state: 'waiting',
    reason: null,
    step: 'wait',
    waiting: { for: 'time', until: due.toISOString() },
    sequence: 1,
    revision: 1,
    chain: null,
    began: start.created_at.toISOString(),
    reached: start.created_at.toISOString(),
    sent: {},
    engaged: [],
    responses: {},
    ended_at: null,
    due_at: due,
  };
};
async function insert(count: number, dueOf: (index: number) => number) {
  for (let from = 0; from < count; from += 2_000) {
    const chunk = Array.from({ length: Math.min(2_000, count - from) }, (_, index) => asleep(from + index, new Date(dueOf(from + index))));
    const begun = chunk.map((run) => ({ run, locks: [`entry ${run.id}`], watches: [], log: [], passages: [], first: 'wait' }));
    await mongo.transaction(origin, (tx) => runs.insertMany(tx, begun, new Date()));
  }
}
const tomorrow = Date.now() + 86_400_000;
await insert(sleeping - coming, (index) => tomorrow + index);
const begin = Date.now() + 5_000;
await insert(coming, (index) => begin + idleMs + (index * spreadMs) / coming);
if (Date.now() > begin) throw new Error('The runs were not written in time, so the result would be invalid.');

service.engine.start();
await pause(begin - Date.now());
const before = process.cpuUsage();
await pause(idleMs - 500);
const { user, system } = process.cpuUsage(before);
const idle = (user + system) / 1_000 / (idleMs - 500);

const ended = mongo.db.collection<{ ended_at: Date; data: string }>('runs');
while ((await ended.countDocuments({ state: 'completed' })) < coming) await pause(200);
const moments = await ended.find({ state: 'completed' }).toArray();
const late = moments.map(({ ended_at, data }) => ended_at.getTime() - Number(JSON.parse(data).due)).sort((a, b) => a - b);
const ms = (q: number) => `${quantile(late, q).toFixed(0)} ms`;
await writeResults({
  name: 'workflow-timers',
  title: 'Workflows: timers',
  how: `${coming.toLocaleString('en')} of ${sleeping.toLocaleString('en')} sleeping runs become due within ${spreadMs / 1_000} s, over ${accounts.length} accounts, after ${idleMs / 1_000} s in which none does.`,
  table: `| delay, p50 | p99 | max | idle CPU |\n|---|---|---|---|\n| ${ms(0.5)} | ${ms(0.99)} | ${ms(1)} | ${(idle * 100).toFixed(1)} % |`,
  aims: [
    ['delay, p99', '≤ 2 s, better 1 s', ms(0.99)],
    ['idle CPU, of one core', '≤ 2 %', `${(idle * 100).toFixed(1)} %`],
  ],
});
await service.engine.stop();
await mongo.db.dropDatabase();
await mongo.stop();
process.exit(0);
