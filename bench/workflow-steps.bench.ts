import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { createParts } from '@mp/service-kit/parts';
import { createContactsStore } from '../services/workflows/src/contacts/contacts-store.ts';
import { createDeliveredStore } from '../services/workflows/src/journal/delivered-store.ts';
import { createAdvanceWithRecent } from '../services/workflows/src/occurrences/advance-with-recent.ts';
import { createOccurrencesStore } from '../services/workflows/src/occurrences/occurrences-store.ts';
import { createAnnounceFirstMail } from '../services/workflows/src/runs/announce-first-mail.ts';
import { createMoveRun } from '../services/workflows/src/runs/move-run.ts';
import type { StoredRun } from '../services/workflows/src/runs/run-document.ts';
import { createRunsStore } from '../services/workflows/src/runs/runs-store.ts';
import { createStartRuns } from '../services/workflows/src/runs/start-runs.ts';
import { createPublishReferences } from '../services/workflows/src/workflows/publish-references.ts';
import { CreateWorkflowBody, newWorkflow } from '../services/workflows/src/workflows/workflow.ts';
import { createWorkflowsStore } from '../services/workflows/src/workflows/workflows-store.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * Durable workflow steps compared with a minimal durable operation of MongoDB, a transaction of two inserts. A step writes
 * the run, its log and the request for the next effect in one transaction.
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
const announceFirstMail = createAnnounceFirstMail({ workflows, logger: parts.logger, clock });
const delivered = createDeliveredStore(mongo.db);
const occurrences = createOccurrencesStore(mongo.db);
const advanceWithRecent = createAdvanceWithRecent({ occurrences, contacts: createContactsStore(mongo.db) });
const startRuns = createStartRuns({ workflows, runs, delivered, advanceWithRecent, outbox, announceFirstMail, clock });
const moveRun = createMoveRun({ runs, workflows, delivered, advanceWithRecent, outbox, announceFirstMail, clock });
const origin = { correlationId: 'bench', causationId: null };
const accountId = newId('account');
const stepCount = 60;

await mongo.start(console.error);
await parts.prepare();
await workflows.prepare();
await runs.prepare();
const [left, right] = [mongo.db.collection('left'), mongo.db.collection('right')];
for (const { collectionName } of [left, right]) await mongo.db.createCollection(collectionName);

const workflow = newWorkflow(
  CreateWorkflowBody.parse({
    name: 'Bench',
    trigger: { type: 'manual' },
    steps: Array.from({ length: stepCount + 1 }, (_, index) => ({
      id: `s${index}`,
      type: 'add_tag',
      tag: `t${index}`,
      ...(index < stepCount && { next: `s${index + 1}` }),
    })),
  }),
  clock(),
);
await mongo.transaction(origin, (tx) => workflows.insert(tx, accountId, workflow));

async function beginRun(): Promise<StoredRun> {
  const [entered] = await mongo.transaction(origin, (tx) =>
    startRuns(tx, accountId, {
      workflow,
      trigger: { type: 'api', event_id: null },
      entrants: [{ contactId: newId('contact'), revision: 1 }],
    }),
  );
  if (!entered || !('run' in entered)) throw new Error('No run started.');
  return entered.run;
}

/** Completes the effect of the run, which advances it to the next step. */
async function step(run: StoredRun): Promise<StoredRun> {
  const key = `${run.id}:${run.sequence}`;
  const after = await mongo.transaction(origin, (tx) =>
    moveRun(tx, run, { type: 'effect_completed', key, status: 'done', reason: null, revision: 2 }),
  );
  if (!after || after.sequence !== run.sequence + 1) throw new Error('The run did not advance.');
  return after;
}

const perSecond = async (lanes: number, each: () => Promise<() => Promise<unknown>>) => {
  const ready = await Promise.all(Array.from({ length: lanes }, each));
  const begun = performance.now();
  await Promise.all(
    ready.map(async (once) => {
      for (let index = 0; index < stepCount; index += 1) await once();
    }),
  );
  return (lanes * stepCount * 1_000) / (performance.now() - begun);
};

const twoInserts = async () => () =>
  mongo.transaction(origin, async ({ session }) => {
    await left.insertOne({ at: new Date(), text: 'a row of about the size of a run' }, { session });
    await right.insertOne({ at: new Date(), text: 'and one of its log' }, { session });
  });

const steps = async () => {
  let run = await beginRun();
  return async () => {
    run = await step(run);
  };
};

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const tables: string[] = [];
const ratios: number[] = [];
for (const lanes of [1, 32]) {
  const title = lanes === 1 ? 'One run at a time' : `${lanes} runs concurrently`;
  const candidates = [
    { name: 'MongoDB transaction with two inserts', run: () => perSecond(lanes, twoInserts) },
    { name: 'durable step with its effect', run: () => perSecond(lanes, steps) },
  ];
  const figures = await compare(title, 'per second', candidates, rounds);
  const [base, step] = [...figures.values()].map(({ median }) => median);
  ratios.push((step ?? Number.NaN) / (base ?? Number.NaN));
  tables.push(`${title}:\n\n${comparison('per second', figures)}`);
}
await writeResults({
  name: 'workflow-steps',
  title: 'Workflows: durable steps',
  how: `${stepCount} steps per run, each with its effect in the outbox, its log and what it counts; ${rounds} interleaved rounds after a warm-up.`,
  table: tables.join('\n\n'),
  aims: [
    ['step / transaction with two inserts, one at a time', 'reported', (ratios[0] ?? Number.NaN).toFixed(2)],
    ['the same, 32 runs concurrently', 'reported', (ratios[1] ?? Number.NaN).toFixed(2)],
  ],
});
await mongo.db.dropDatabase();
await mongo.stop();
