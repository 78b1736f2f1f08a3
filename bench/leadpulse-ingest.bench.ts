import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { newId } from '@mp/ids';
import { acquireInfra } from '@mp/local-infra/infra';
import { createParts } from '@mp/service-kit/service-parts';
import autocannon from 'autocannon';
import { createEventsStore } from '../services/leadpulse/src/events/events-store.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { anEvent, newEvents } from './leadpulse-events.ts';

/**
 * Acknowledged events per second, compared with the same server without its durable step and with bare inserts. BENCH_SECONDS=1
 * and BENCH_ROUNDS=1 for a short run.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const insertedEvents = 40_000;
const infra = await acquireInfra({ dir: new URL('../.data/test', import.meta.url).pathname });
const env = { ...process.env, ...infra.env };
const keyring = parseKeyring(infra.env.CONTEXT_KEYS ?? '');
const database = `bench_leadpulse_${process.pid}`;
const parts = createParts({
  name: 'bench',
  database,
  MONGODB_URL: infra.mongoUrl,
  NATS_URL: infra.natsUrl,
  LOG_LEVEL: 'silent',
  CONTEXT_KEYS: keyring,
  CURSOR_KEYS: parseKeyring(infra.env.CURSOR_KEYS ?? ''),
});
await parts.prepare();
const { mongo } = parts;
const events = createEventsStore(mongo.db);
await events.prepare();

async function startServer(kind: 'durable' | 'forgetful') {
  const child = spawn(process.execPath, [new URL('leadpulse-server.ts', import.meta.url).pathname, kind, database], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => child.kill() };
}
const durable = await startServer('durable');
const forgetful = await startServer('forgetful');

const path = '/v2/leadpulse/track';

/** Acknowledged events per second, with `size` events per call. */
async function tracked(url: string, size: number): Promise<number> {
  const context = {
    account_id: newId('account'),
    principal_id: 'bench',
    permission: 'read_write' as const,
    scopes: null,
    request_id: 'req_bench000',
    expires_at: Date.now() + 600_000,
  };
  const these = Array.from({ length: size }, (_, index) => anEvent(index));
  const result = await autocannon({
    url: url + path,
    method: 'POST',
    body: JSON.stringify(size === 1 ? these[0] : { events: these }),
    headers: { 'content-type': 'application/json', [contextHeader]: signContext(keyring, context, 'POST', path) },
    connections: size === 1 ? 64 : 4,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} responses were not 2xx and ${result.errors} requests failed, so the result is invalid.`);
  return (result['2xx'] * size) / result.duration;
}

/** Inserts only the same documents with the same indexes, 1,000 per write, four writes at a time. */
async function inserted(): Promise<number> {
  const batches = Array.from({ length: insertedEvents / 1_000 }, () => newEvents(newId('account'), 1_000));
  const from = performance.now();
  const lane = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await events.insert(batch);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return insertedEvents / ((performance.now() - from) / 1_000);
}

const cleaned = (run: () => Promise<number>) => async () => {
  const rate = await run();
  await mongo.db.collection('events').deleteMany({});
  return rate;
};

try {
  const figures = await compare(
    'Tracking',
    'events/s',
    [
      { name: 'one event per call, the same server without its durable step', run: () => tracked(forgetful.url, 1) },
      { name: 'one event per call', run: cleaned(() => tracked(durable.url, 1)) },
      { name: '100 events per call', run: cleaned(() => tracked(durable.url, 100)) },
      { name: '1,000 events per call', run: cleaned(() => tracked(durable.url, 1_000)) },
      { name: 'insertMany of the same documents, without the server', run: cleaned(inserted) },
    ],
    rounds,
  );
  const [forgets = Number.NaN, single = Number.NaN, batch = Number.NaN, , bare = Number.NaN] = [...figures.values()].map(
    ({ median }) => median,
  );
  await writeResults({
    name: 'leadpulse-ingest',
    title: 'LeadPulse: receiving events',
    how: `events acknowledged by \`POST ${path}\` of the service in a separate process, 64 connections for single events and 4 for batches, ${seconds} s each; the load runs on the same machine; insertMany writes the same documents with the same indexes, 1,000 per call and four calls at a time; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('events/s', figures),
    aims: [
      ['one event per call / the same without the durable step', '≥ 0.30, better 0.45', (single / forgets).toFixed(2)],
      ['100 events per call / one', '≥ 3', (batch / single).toFixed(2)],
      ['100 events per call / insertMany', '≥ 0.4', (batch / bare).toFixed(2)],
    ],
  });
} finally {
  durable.stop();
  forgetful.stop();
  await mongo.db.dropDatabase();
  await mongo.stop();
  await infra.release();
}
