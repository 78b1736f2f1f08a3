import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import { acquireInfra } from '@mp/local-infra/infra';
import { createParts } from '@mp/service-kit/parts';
import autocannon from 'autocannon';
import { countEvents } from '../services/leadpulse/src/counting/count-events.ts';
import { isRejection, newEvent } from '../services/leadpulse/src/events/event.ts';
import { createEventsStore, type NewEvent } from '../services/leadpulse/src/events/events-store.ts';
import { createIdentitiesStore } from '../services/leadpulse/src/identities/identities-store.ts';
import { createRollupsStore } from '../services/leadpulse/src/rollups/rollups-store.ts';
import { createVisitorDaysStore } from '../services/leadpulse/src/rollups/visitor-days-store.ts';
import { createSessionsStore } from '../services/leadpulse/src/sessions/sessions-store.ts';
import { createSettingsStore } from '../services/leadpulse/src/settings/settings-store.ts';
import { createVisitorsStore } from '../services/leadpulse/src/visitors/visitors-store.ts';
import { compare } from './compare.ts';

/** Acknowledged events per second, compared with the same server without its durable step and with bare inserts; and counting. */
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
const { mongo, outbox, cursors } = parts;
const stores = {
  events: createEventsStore(mongo.db),
  visitors: createVisitorsStore(mongo.db, cursors),
  sessions: createSessionsStore(mongo.db),
  rollups: createRollupsStore(mongo.db),
  visitorDays: createVisitorDaysStore(mongo.db),
  identities: createIdentitiesStore(mongo.db),
  settings: createSettingsStore(mongo.db),
};
for (const store of Object.values(stores)) await store.prepare();
const counting = { mongo, outbox, ...stores, askContacts: async () => undefined };

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
const anEvent = (index: number, minutesAgo?: number) => ({
  event: index % 10 === 0 ? 'order_placed' : '$pageview',
  visitor_id: `v${index % 500}`,
  ...(minutesAgo !== undefined && { timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString() }),
  properties: { plan: 'pro', position: index % 7 },
  context: {
    page: { url: `https://example.com/p/${index % 50}`, referrer: 'https://www.google.com/' },
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ip: '203.0.113.7',
  },
});

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
  const events = Array.from({ length: size }, (_, index) => anEvent(index));
  const result = await autocannon({
    url: url + path,
    method: 'POST',
    body: JSON.stringify(size === 1 ? events[0] : { events }),
    headers: { 'content-type': 'application/json', [contextHeader]: signContext(keyring, context, 'POST', path) },
    connections: size === 1 ? 64 : 4,
    duration: 3,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} responses were not 2xx and ${result.errors} requests failed, so the result is invalid.`);
  return (result['2xx'] * size) / result.duration;
}

function some(accountId: AccountId, count: number, minutesBetween?: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const event = newEvent(accountId, anEvent(index, minutesBetween && index * minutesBetween), { now: new Date() });
    if (isRejection(event)) throw new Error(event.message);
    return { event };
  });
}

/** Inserts only the same documents with the same indexes, 1,000 per write, four writes at a time. */
async function inserted(): Promise<number> {
  const batches = Array.from({ length: 20 }, () => some(newId('account'), 1_000));
  const total = batches.length * 1_000;
  const from = performance.now();
  const lane = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await stores.events.insert(batch);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return total / ((performance.now() - from) / 1_000);
}

/** Counts stored events: visitors, sessions, rollups and published events. Returns events per second. */
async function counted(minutesBetween?: number): Promise<number> {
  const accountId = newId('account');
  for (let batch = 0; batch < 5; batch += 1) await stores.events.insert(some(accountId, 1_000, minutesBetween));
  const from = performance.now();
  let total = 0;
  for (let more = 1; more > 0; total += more) more = await countEvents(counting, accountId);
  return total / ((performance.now() - from) / 1_000);
}

const clean = async () => void (await mongo.db.collection('events').deleteMany({}));
const cleaned = (run: () => Promise<number>) => async () => {
  const rate = await run();
  await clean();
  return rate;
};

try {
  await compare('Tracking one event per call', 'events/s', [
    { name: 'the same server without its durable step', run: () => tracked(forgetful.url, 1) },
    { name: 'durable in MongoDB', run: cleaned(() => tracked(durable.url, 1)) },
  ]);
  await compare('Tracking in batches', 'events/s', [
    { name: 'insertMany in batches of 1,000, no server', run: cleaned(inserted) },
    { name: 'one event per call', run: cleaned(() => tracked(durable.url, 1)) },
    { name: '100 events per call', run: cleaned(() => tracked(durable.url, 100)) },
    { name: '1,000 events per call', run: cleaned(() => tracked(durable.url, 1_000)) },
    { name: 'counting recent events', run: cleaned(() => counted()) },
    { name: 'counting past events, one per minute', run: cleaned(() => counted(1)) },
  ]);
} finally {
  durable.stop();
  forgetful.stop();
  await mongo.db.dropDatabase();
  await mongo.stop();
  await infra.release();
}
