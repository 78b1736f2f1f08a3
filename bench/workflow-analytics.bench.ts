import { parseKeyring } from '@mp/contracts/keyring';
import { newId, type WorkflowId } from '@mp/ids';
import { createParts } from '@mp/service-kit/service-parts';
import { createCountsStore } from '../services/workflows/src/counts/counts-store.ts';
import { createCountsWorker } from '../services/workflows/src/counts/counts-worker.ts';
import type { StoredRun } from '../services/workflows/src/runs/run-document.ts';
import { createRunsStore } from '../services/workflows/src/runs/runs-store.ts';
import { quantile, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/** The counters of a workflow with few and with many runs, read as `GET /v2/workflows/:id/analytics` does. */
const few = 1_000;
const many = Number(process.env.BENCH_RUNS ?? 1_000_000);
const reads = 100;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const maxMs = 50;

const keys = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
const database = `bench_counts_${process.pid}`;
const parts = createParts({ name: 'workflows', database, MONGODB_URL, NATS_URL, LOG_LEVEL: 'warn', CONTEXT_KEYS: keys, CURSOR_KEYS: keys });
const { mongo, logger } = parts;
const runs = createRunsStore(mongo.db, parts.cursors, console.error);
const counts = createCountsStore(mongo.db);
const worker = createCountsWorker({ mongo, logger, counts });
const origin = { correlationId: 'bench', causationId: null };
const accountId = newId('account');

await mongo.start(console.error);
await parts.prepare();
await runs.prepare();
await counts.prepare();

const at = new Date();
const waiting = (workflow_id: WorkflowId): StoredRun => ({
  ...{ id: newId('run'), account_id: accountId, workflow_id, workflow_name: 'Bench', version: 1, contact_id: newId('contact') },
  ...{
    state: 'waiting',
    reason: null,
    step: 'wait',
    sequence: 1,
    revision: 1,
    chain: null,
    sent: {},
    engaged: [],
    responses: {},
    data: {},
  },
  waiting: { for: 'time', until: at.toISOString() },
  ...{ began: at.toISOString(), reached: at.toISOString(), created_at: at, ended_at: null, due_at: at },
  trigger: { type: 'api', event_id: null },
});

async function fill(workflowId: WorkflowId, count: number) {
  for (let from = 0; from < count; from += 2_000) {
    const chunk = Array.from({ length: Math.min(2_000, count - from) }, () => waiting(workflowId));
    const begun = chunk.map((run) => ({ run, locks: [`entry ${run.id}`], watches: [], log: [], passages: [], first: 'wait' }));
    await mongo.transaction(origin, (tx) => runs.insertMany(tx, begun, at));
    while ((await worker.fold()) > 0);
  }
}

async function timesOf(workflowId: WorkflowId): Promise<number[]> {
  const times: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const begun = performance.now();
    await mongo.transaction(origin, (tx) => counts.totals(tx, accountId, workflowId));
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b);
}

const [small, large] = [newId('workflow'), newId('workflow')];
await fill(small, few);
await fill(large, many);
const turns = { small: [] as number[][], large: [] as number[][] };
for (let round = 0; round <= rounds; round += 1) {
  const [ofSmall, ofLarge] = [await timesOf(small), await timesOf(large)];
  if (round === 0) continue;
  turns.small.push(ofSmall);
  turns.large.push(ofLarge);
}
const p = (q: number, of: readonly number[][]) => summary(of.map((times) => quantile(times, q)));
const ms = ({ median, min, max }: ReturnType<typeof summary>) => `${median.toFixed(1)} (${min.toFixed(1)} – ${max.toFixed(1)})`;
const row = (count: number, of: readonly number[][]) => `| ${count.toLocaleString('en')} | ${ms(p(0.5, of))} | ${ms(p(0.99, of))} |`;
await writeResults({
  name: 'workflow-analytics',
  title: 'Workflows: analytics',
  how: `the counters of a workflow, ${reads} reads of each in turn; median and range of ${rounds} interleaved rounds after a warm-up.`,
  table: ['| runs | p50, ms | p99, ms |', '|---|---|---|', row(few, turns.small), row(many, turns.large)].join('\n'),
  aims: [
    [`p99 with ${many.toLocaleString('en')} runs`, `≤ ${maxMs} ms`, `${p(0.99, turns.large).median.toFixed(1)} ms`],
    [
      `p50 with ${many.toLocaleString('en')} runs / with ${few.toLocaleString('en')}`,
      'reported',
      (p(0.5, turns.large).median / p(0.5, turns.small).median).toFixed(2),
    ],
  ],
});
await mongo.db.dropDatabase();
await mongo.stop();
process.exit(0);
