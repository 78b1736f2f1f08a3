import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { createParts } from '@mp/service-kit/service-parts';
import { createContactsStore } from '../services/workflows/src/contacts/contacts-store.ts';
import { createDeliveredStore } from '../services/workflows/src/journal/delivered-store.ts';
import { createAdvanceWithRecent } from '../services/workflows/src/occurrences/advance-with-recent.ts';
import { createOccurrencesStore } from '../services/workflows/src/occurrences/occurrences-store.ts';
import { createLogFirstEmail } from '../services/workflows/src/runs/log-first-email.ts';
import type { StoredRun } from '../services/workflows/src/runs/run-document.ts';
import { createRunSteps } from '../services/workflows/src/runs/run-steps.ts';
import { createRunsStore } from '../services/workflows/src/runs/runs-store.ts';
import { createChainsStore } from '../services/workflows/src/triggers/chains-store.ts';
import { createPublishReferences } from '../services/workflows/src/workflows/publish-references.ts';
import { CreateWorkflowBody, newWorkflow } from '../services/workflows/src/workflows/workflow.ts';
import { createWorkflowsStore } from '../services/workflows/src/workflows/workflows-store.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { postgresSettings, startPostgres } from './postgres.ts';
import { dbosVersion, startDbos } from './workflows/dbos.ts';

/**
 * Durable workflow steps compared with a minimal durable operation of MongoDB, a transaction of two inserts, and with DBOS on
 * PostgreSQL. A step writes the run, its log and the request for the next effect in one transaction. BENCH_WORKFLOWS=6 and
 * BENCH_ROUNDS=1 for a short run; BENCH_PEERS=/tmp/peers keeps DBOS for the next run.
 */
const keys = parseKeyring(`bench:${Buffer.alloc(32, 1).toString('base64url')}`);
const { MONGODB_URL = '', NATS_URL = '' } = process.env;
const parts = createParts({
  name: 'workflows',
  database: `bench_workflows_${process.pid}`,
  MONGODB_URL,
  NATS_URL,
  LOG_LEVEL: 'warn',
  CONTEXT_KEYS: keys,
  CURSOR_KEYS: keys,
});
const { mongo, outbox, cursors } = parts;
const clock = () => new Date();
const workflows = createWorkflowsStore(mongo.db, cursors, createPublishReferences(outbox));
const runs = createRunsStore(mongo.db, cursors, console.error);
const logFirstEmail = createLogFirstEmail({ workflows, logger: parts.logger, clock });
const delivered = createDeliveredStore(mongo.db);
const occurrences = createOccurrencesStore(mongo.db);
const contacts = createContactsStore(mongo.db);
const chains = createChainsStore(mongo.db);
const advanceWithRecent = createAdvanceWithRecent({ occurrences, contacts });
const { startRuns, applyInput } = createRunSteps({
  ...{ workflows, runs, contacts, chains, delivered, advanceWithRecent, outbox, logFirstEmail, clock },
  findApprovedTemplates: async () => new Map(),
  holds: () => false,
});
const origin = { correlationId: 'bench', causationId: null };
const accountId = newId('account');
/** Workflows of three steps in a round that runs one at a time; four times as many in a round that runs several. */
const workflowCount = Number(process.env.BENCH_WORKFLOWS ?? 300);
const longSteps = 60;
const shortSteps = 3;

await mongo.start(console.error);
await parts.prepare();
await workflows.prepare();
await runs.prepare();
const [left, right] = [mongo.db.collection('left'), mongo.db.collection('right')];
for (const { collectionName } of [left, right]) await mongo.db.createCollection(collectionName);

/** A workflow whose steps each request an effect. */
async function workflowOf(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const steps = ids.map((id, index) => ({ id, type: 'add_tag', tag: 'bench', ...(index + 1 < count && { next: ids[index + 1] }) }));
  const workflow = newWorkflow(CreateWorkflowBody.parse({ name: 'Bench', trigger: { type: 'manual' }, steps }), clock());
  await mongo.transaction(origin, (tx) => workflows.insert(tx, accountId, workflow));
  return workflow;
}
const long = await workflowOf(longSteps + 1);
const short = await workflowOf(shortSteps);

async function beginRun(workflow: typeof long): Promise<StoredRun> {
  const [entered] = await mongo.transaction(origin, (tx) =>
    startRuns(tx, [
      { accountId, workflow, trigger: { type: 'api', event_id: null }, entrant: { contactId: newId('contact'), revision: 1 } },
    ]),
  );
  if (!entered || !('run' in entered)) throw new Error('No run started.');
  return entered.run;
}

/** Completes the effect of the run, which advances it to the next step. */
async function step(run: StoredRun): Promise<StoredRun> {
  const key = `${run.id}:${run.sequence}`;
  const after = await mongo.transaction(origin, (tx) =>
    applyInput(tx, run, { type: 'effect_completed', key, status: 'done', reason: null, revision: 2 }),
  );
  if (!after || after === run) throw new Error('The run did not advance.');
  return after;
}

/** Workflows of three steps in each lane. */
const workflowsOf = (lanes: number) => Math.ceil((lanes === 1 ? workflowCount : 4 * workflowCount) / lanes);

async function perSecond(lanes: number, each: () => () => Promise<unknown>): Promise<number> {
  const count = workflowsOf(lanes) * shortSteps;
  const begun = performance.now();
  const lane = async () => {
    const once = each();
    for (let index = 0; index < count; index += 1) await once();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (lanes * count * 1_000) / (performance.now() - begun);
}

const twoInserts = () => () =>
  mongo.transaction(origin, async ({ session }) => {
    await left.insertOne({ at: new Date(), text: 'a row of about the size of a run' }, { session });
    await right.insertOne({ at: new Date(), text: 'and one of its log' }, { session });
  });

/** A step of a long run; another run begins when it has ended. */
const longRuns = () => {
  let run: StoredRun | undefined;
  return async () => {
    if (!run || run.sequence > longSteps) run = await beginRun(long);
    run = await step(run);
  };
};

/** A step of a workflow with three steps, with the start of its run before the first one. */
const shortRuns = () => {
  let run: StoredRun | undefined;
  return async () => {
    if (!run || run.state === 'completed') run = await beginRun(short);
    run = await step(run);
  };
};

const folder = process.env.BENCH_PEERS ?? (await mkdtemp(join(tmpdir(), 'workflow-peers-')));
const postgres = await startPostgres();
const dbos = postgres && (await startDbos(folder, postgres.url));
const dbosName = `DBOS ${dbosVersion} on PostgreSQL ${postgres?.version}: workflows of three steps that do nothing`;

try {
  const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
  const tables: string[] = [];
  const aims: [string, string, string][] = [];
  for (const lanes of [1, 32]) {
    const title = lanes === 1 ? 'One run at a time' : `${lanes} runs concurrently`;
    const candidates = [
      { name: 'MongoDB transaction with two inserts', run: () => perSecond(lanes, twoInserts) },
      { name: 'durable step with its effect, of a long run', run: () => perSecond(lanes, longRuns) },
      { name: 'workflows of three steps, with their start and end', run: () => perSecond(lanes, shortRuns) },
      ...(dbos ? [{ name: dbosName, run: () => dbos.stepsPerSecond({ lanes, workflows: workflowsOf(lanes), steps: shortSteps }) }] : []),
    ];
    const figures = await compare(title, 'per second', candidates, rounds);
    const [base = Number.NaN, step = Number.NaN, whole = Number.NaN, theirs] = [...figures.values()].map(({ median }) => median);
    tables.push(`${title}:\n\n${comparison('steps per second', figures)}`);
    const at = lanes === 1 ? 'one at a time' : `${lanes} concurrently`;
    aims.push([
      `workflows of three steps / DBOS, ${at}`,
      '≥ 1, better 3',
      theirs === undefined ? 'not measured' : (whole / theirs).toFixed(2),
    ]);
    aims.push([`step of a long run / transaction with two inserts, ${at}`, 'reported', (step / base).toFixed(2)]);
  }
  const peers = [
    dbos
      ? `DBOS runs in a process of its own, with a pool of 32 connections; PostgreSQL is durable as installed (fsync, synchronous_commit), with ${postgresSettings}.`
      : 'DBOS was not measured: no PostgreSQL is installed (`apt-get install postgresql`).',
    'Temporal’s development server was not measured: it would have to be built from its Go sources.',
  ].join(' ');
  await writeResults({
    name: 'workflow-steps',
    title: 'Workflows: durable steps',
    how: `${workflowCount} workflows in each round that runs one at a time, ${4 * workflowCount} in the others. Each of our steps is a transaction with its effect in the outbox, its log and what it counts; the effect is then confirmed at once, as a step of DBOS returns at once, so the way over NATS to the service that carries it out is not measured. ${peers} ${rounds} interleaved rounds after a warm-up.`,
    table: tables.join('\n\n'),
    aims,
  });
} finally {
  await dbos?.stop();
  await postgres?.stop();
  if (!process.env.BENCH_PEERS) await rm(folder, { recursive: true, force: true });
  await mongo.db.dropDatabase();
  await mongo.stop();
}
