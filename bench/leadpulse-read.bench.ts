import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import { acquireInfra } from '@mp/local-infra/infra';
import { createParts } from '@mp/service-kit/service-parts';
import type { Document } from 'mongodb';
import { buildApp } from '../services/leadpulse/src/app.ts';
import { isRejection, newEvent } from '../services/leadpulse/src/events/event.ts';
import { levelOf } from '../services/leadpulse/src/rollups/sample.ts';
import { createWindowCounts, quartersADay } from '../services/leadpulse/src/rollups/window-counts.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * Reads the analytics of 30 days and funnels for accounts with 500,000 and 5 million events. The aggregates are generated and
 * inserted directly, and so are the events of the steps of the funnels, which an index finds by name. BENCH_SIZES=10000,100000
 * sets other sizes; BENCH_ROUNDS and BENCH_READS for a short run.
 */
const sizes = (process.env.BENCH_SIZES ?? '500000,5000000').split(',').map(Number);
const rounds = Number(process.env.BENCH_ROUNDS ?? 4);
const readsPerRound = Number(process.env.BENCH_READS ?? 25);
/** One event in 50 is a step of the common funnel; those of the rare one are as many in each account. */
const common = { steps: ['signup_started', 'signup_completed', 'order_placed'], share: 1 / 50 };
const rare = { steps: ['demo_requested', 'demo_held', 'contract_signed'], events: Math.min(10_000, (sizes[0] ?? 0) / 50) };
const eventsADay = 10;
const days = 30;
const dayMs = 86_400_000;
const quarterMs = 900_000;

const infra = await acquireInfra({ dir: new URL('../.data/test', import.meta.url).pathname });
const keyring = parseKeyring(infra.env.CONTEXT_KEYS ?? '');
const parts = createParts({
  name: 'bench',
  database: `bench_analytics_${process.pid}`,
  MONGODB_URL: infra.mongoUrl,
  NATS_URL: infra.natsUrl,
  LOG_LEVEL: 'silent',
  CONTEXT_KEYS: keyring,
  CURSOR_KEYS: parseKeyring(infra.env.CURSOR_KEYS ?? ''),
});
const { db } = parts.mongo;
const currentDay = Math.floor(Date.now() / dayMs);

/** Inserts rows in batches of 10,000, so that memory never holds a million of them. */
function inserting(collection: string) {
  let rows: Document[] = [];
  const flush = async () => {
    if (rows.length > 0) await db.collection(collection).insertMany(rows, { ordered: false, writeConcern: { w: 1, journal: false } });
    rows = [];
  };
  const add = async (row: Document) => {
    rows.push(row);
    if (rows.length >= 10_000) await flush();
  };
  return { add, flush };
}

/** Counted events of people who get as far as the first, second or third step of a funnel. */
async function addFunnel(accountId: AccountId, steps: readonly string[], count: number) {
  const events = inserting('events');
  for (let made = 0, person = 0; made < count; person += 1) {
    const [visitor, at] = [newId('visitor'), Date.now() - (1 + (person % (days - 2))) * dayMs - (person % 86_400) * 1_000];
    for (const [index, name] of steps.slice(0, 1 + (person % steps.length)).entries()) {
      const body = { event: name, visitor_id: `v${person}`, timestamp: new Date(at + index * 60_000).toISOString() };
      const event = newEvent(accountId, body, { now: new Date() });
      if (isRejection(event)) throw new Error(event.message);
      const { id, properties, ...members } = event;
      if (made < count) await events.add({ _id: id, ...members, properties: [], visitor });
      made += 1;
    }
  }
  await events.flush();
}

async function makeAccount(events: number) {
  const account_id = newId('account');
  const visitorDays = inserting('visitor_days');
  const sessions = inserting('sessions');
  const rollups = inserting('rollups');
  const counts = createWindowCounts();
  const total = events / eventsADay;
  let visitors = 0;
  const byDay = Array.from({ length: days + 1 }, () => 0);
  for (let visitor = 0, made = 0; made < total; visitor += 1) {
    const id = newId('visitor');
    const sample = levelOf(id);
    const stays = 1 + (visitor % 4);
    const quarters: number[] = [];
    for (let stay = 0; stay < stays; stay += 1, made += 1) {
      const day = currentDay - days + ((visitor * 7 + stay * 3) % (days + 1));
      const quarter = (visitor * 31 + stay * 17) % quartersADay;
      const those = [quarter, (quarter + 5) % quartersADay].toSorted((a, b) => a - b);
      byDay[day - currentDay + days] = (byDay[day - currentDay + days] ?? 0) + 1;
      quarters.push(...those.map((one) => day * quartersADay + one));
      const at = new Date(day * dayMs + quarter * quarterMs);
      await visitorDays.add({
        _id: newId('activity'),
        account_id,
        visitor: id,
        bot: false,
        sample,
        day: new Date(day * dayMs),
        quarters: those,
      });
      const touch = { channel: 'organic_search', source: `source-${visitor % 7 < 4 ? visitor % 5 : visitor % 200}`, referrer: null };
      await sessions.add({
        ...{ _id: newId('session'), account_id, visitor: id, sample, bot: false, started_at: at, ended_at: at, touch },
        ...{ first: { at, message_id: 'm' }, last: { at, message_id: 'm' }, events: eventsADay, pageviews: 5, actions: 5, values: {} },
        ...{ entry: null, exit: null, device: 'desktop', browser: 'Firefox', os: 'Linux', country: 'DE' },
      });
    }
    counts.seen([], quarters);
    visitors += 1;
  }
  for (const bots of [false, true])
    for (const [day, steps] of Map.groupBy(counts.steps(), (step) => step.day)) {
      const kept: Record<string, Record<string, number>> = {};
      for (const { span, quarter, by } of steps) kept[span] = { ...kept[span], [quarter]: by };
      await db.collection('daily_visitors').insertOne({ account_id, bots, day: new Date(day * dayMs), steps: kept });
    }
  const cell = ({ dimension, value, grain, at, share }: { dimension: string; value: string; grain: string; at: number; share: number }) => {
    const [number, of] = [Math.ceil(share), { account_id, dimension, value, grain, at: new Date(at), bot: false }];
    const counted = { events: number * eventsADay, pageviews: number * 5, sessions: number, bounces: 1, duration_ms: 60_000 };
    return rollups.add({ _id: newId('activity'), ...of, ...counted });
  };
  for (const [index, number] of byDay.entries()) {
    const day = (currentDay - days + index) * dayMs;
    await cell({ dimension: 'all', value: '', grain: 'day', at: day, share: number });
    for (let quarter = 0; quarter < quartersADay; quarter += 1)
      await cell({ dimension: 'all', value: '', grain: 'quarter', at: day + quarter * quarterMs, share: number / 96 });
    for (let source = 0; source < 200; source += 1)
      await cell({ dimension: 'source', value: `source-${source}`, grain: 'day', at: day, share: number / 200 });
    for (let page = 0; page < 500; page += 1)
      await cell({ dimension: 'page', value: `/${page}`, grain: 'day', at: day, share: number / 500 });
  }
  await addFunnel(account_id, common.steps, events * common.share);
  await addFunnel(account_id, rare.steps, rare.events);
  for (const each of [visitorDays, sessions, rollups]) await each.flush();
  console.log(
    `${events.toLocaleString('en')} events: ${total.toLocaleString('en')} visitor-days of ${visitors.toLocaleString('en')} visitors`,
  );
  return { events, visitors, id: account_id };
}

try {
  await parts.mongo.start(() => undefined);
  await parts.prepare();
  const { app, prepare } = buildApp(parts);
  await prepare();
  await app.ready();
  const accounts: Awaited<ReturnType<typeof makeAccount>>[] = [];
  for (const events of sizes) accounts.push(await makeAccount(events));

  const visitorsOf = new Map<AccountId, { visitors: number; visitors_error: number }>();
  const request = async (accountId: AccountId, { method, url, payload }: { method: 'GET' | 'POST'; url: string; payload?: object }) => {
    const caller = { account_id: accountId, principal_id: 'bench', permission: 'read_write' as const, scopes: null };
    const context = { ...caller, request_id: 'req_bench000', expires_at: Date.now() + 60_000 };
    const headers = { [contextHeader]: signContext(keyring, context, method, url) };
    const response = await app.inject({ method, url, headers, ...(payload && { payload }) });
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json().data;
  };
  type Read = (accountId: AccountId) => Promise<void>;
  const analytics =
    (query: string): Read =>
    async (accountId) => {
      const { totals } = await request(accountId, { method: 'GET', url: `/v2/leadpulse/analytics${query && `?${query}`}` });
      visitorsOf.set(accountId, totals);
    };
  const funnel =
    (names: readonly string[], countOf: (events: number) => number): Read =>
    async (accountId) => {
      const [from, to] = [new Date(Date.now() - days * dayMs).toISOString(), new Date().toISOString()];
      const payload = { steps: names.map((event) => ({ event })), from, to };
      const { events_read } = await request(accountId, { method: 'POST', url: '/v2/leadpulse/funnels', payload });
      const expected = countOf(accounts.find(({ id }) => id === accountId)?.events ?? 0);
      if (events_read !== expected) throw new Error(`The funnel read ${events_read} events, not ${expected}.`);
    };
  const timesOf = async (accountId: AccountId, read: Read, count: number) => {
    const times: number[] = [];
    for (let done = 0; done < count; done += 1) {
      const began = performance.now();
      await read(accountId);
      times.push(performance.now() - began);
    }
    return times;
  };

  /** A row of the table, and the p99 of each account. */
  async function measure(name: string, read: Read, reads = readsPerRound) {
    const times = accounts.map((): number[] => []);
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, { id }] of accounts.entries()) {
        const these = await timesOf(id, read, reads);
        if (round > 0) times[index]?.push(...these);
      }
    const figures = times.map((all) => all.sort((a, b) => a - b)).map((all) => ({ p50: quantile(all, 0.5), p99: quantile(all, 0.99) }));
    const p99 = figures.map((figure) => figure.p99);
    const ratio = (p99.at(-1) ?? Number.NaN) / (p99[0] ?? Number.NaN);
    const cells = figures.map((figure) => `${figure.p50.toFixed(0)} | ${figure.p99.toFixed(0)}`);
    const row = `| ${name} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`;
    console.log(row);
    return { row, ratio, largest: p99.at(-1) ?? Number.NaN };
  }

  const queries = ['', 'timezone=Europe/Berlin', 'interval=hour', 'interval=week', 'by=source', 'by=page'];
  const rollups: Awaited<ReturnType<typeof measure>>[] = [];
  for (const query of queries) rollups.push(await measure(query || 'totals by day', analytics(query)));
  const fewReads = Math.ceil(readsPerRound / 5);
  const numbers = (all: readonly number[]) => all.map((count) => count.toLocaleString('en')).join(' and ');
  const rareFunnel = await measure(
    `funnel of three steps, reads ${numbers(sizes.map(() => rare.events))} events`,
    funnel(rare.steps, () => rare.events),
    fewReads,
  );
  const commonFunnel = await measure(
    `funnel of three steps, reads ${numbers(sizes.map((size) => size * common.share))} events`,
    funnel(common.steps, (events) => events * common.share),
    fewReads,
  );
  const counted = accounts.map(({ events, visitors, id }) => {
    const { visitors: reported = 0, visitors_error: error = 0 } = visitorsOf.get(id) ?? {};
    return `${events.toLocaleString('en')} events: ${visitors} visitors in ${days + 1} days, ${reported} reported for the last ${days}, with a stated error of ${error}`;
  });
  const worst = (figure: 'ratio' | 'largest') => Math.max(...rollups.map((one) => one[figure]));
  await writeResults({
    name: 'leadpulse-read',
    title: 'LeadPulse: analytics of 30 days',
    how: `accounts in one database; milliseconds in the service; ${readsPerRound} reads of each query (${fewReads} of funnels) for each account in turn, ${rounds} rounds after a warm-up.`,
    table: [
      `| query | ${sizes.map((size) => `${size.toLocaleString('en')} events: p50 | p99`).join(' | ')} | p99 ratio |`,
      `|---|${sizes.map(() => '---|---|').join('')}---|`,
      ...[...rollups, rareFunnel, commonFunnel].map(({ row }) => row),
      '',
      `${counted.join('. ')}.`,
    ].join('\n'),
    aims: [
      ['p99 of the largest account / the smallest, slowest query of the analytics', '≤ 2', worst('ratio').toFixed(2)],
      ['the same, a funnel that reads as many events in both', '≤ 2', rareFunnel.ratio.toFixed(2)],
      ['the same, a funnel that reads ten times as many', 'reported', commonFunnel.ratio.toFixed(2)],
      ['p99 of the totals by day in the largest account', '≤ 50 ms', `${(rollups[0]?.largest ?? Number.NaN).toFixed(0)} ms`],
      ['p99 of the slowest query of the analytics in the largest account', '≤ 50 ms', `${worst('largest').toFixed(0)} ms`],
    ],
  });
  await app.close();
} finally {
  await db.dropDatabase();
  await parts.mongo.stop();
  await infra.release();
}
