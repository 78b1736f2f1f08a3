import { contextHeader, signContext } from '@mp/contracts/context';
import { parseKeyring } from '@mp/contracts/keyring';
import { type AccountId, newId } from '@mp/ids';
import { acquireInfra } from '@mp/local-infra/infra';
import { createParts } from '@mp/service-kit/parts';
import type { Document } from 'mongodb';
import { buildApp } from '../services/leadpulse/src/app.ts';
import { levelOf } from '../services/leadpulse/src/rollups/sample.ts';
import { createSpanCounts, quartersADay } from '../services/leadpulse/src/rollups/spans.ts';
import { compare } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/**
 * Reads the analytics of 30 days for accounts with 100,000 and 10 million events. The aggregates are generated and inserted
 * directly. `EVENTS=100000,10000000` sets other sizes.
 */
const sizes = (process.env.EVENTS ?? '100000,10000000').split(',').map(Number);
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

async function makeAccount(events: number) {
  const account_id = newId('account');
  const visitorDays = inserting('visitor_days');
  const sessions = inserting('sessions');
  const rollups = inserting('rollups');
  const counts = createSpanCounts();
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

  const last = new Map<string, { visitors: number; visitors_error: number }>();
  const read = async (account_id: AccountId, query: string): Promise<number> => {
    const url = `/v2/leadpulse/analytics${query === '' ? '' : `?${query}`}`;
    const caller = { account_id, principal_id: 'bench', permission: 'read_only' as const, scopes: null };
    const context = { ...caller, request_id: 'req_bench000', expires_at: Date.now() + 60_000 };
    const began = performance.now();
    const answer = await app.inject({ url, headers: { [contextHeader]: signContext(keyring, context, 'GET', url) } });
    if (answer.statusCode !== 200) throw new Error(answer.body);
    last.set(account_id, answer.json().data.totals);
    return performance.now() - began;
  };
  const rows: string[] = [];
  let worst = 0;
  for (const query of ['', 'timezone=Europe/Berlin', 'interval=hour', 'interval=week', 'by=source', 'by=page']) {
    const candidates = accounts.map(({ events, id }) => ({ name: `${events.toLocaleString('en')} events`, run: () => read(id, query) }));
    const figures = [...(await compare(`Analytics of 30 days, ?${query}`, 'ms', candidates)).values()];
    const [base = Number.NaN, ...others] = figures.map(({ median }) => median);
    worst = Math.max(worst, ...others.map((median) => median / base));
    const cells = figures.map(({ median, min, max }) => `${median.toFixed(0)} (${min.toFixed(0)} – ${max.toFixed(0)})`);
    rows.push(`| ${query || 'totals by day'} | ${cells.join(' | ')} | ${others.map((median) => (median / base).toFixed(2)).join(', ')} |`);
  }
  const counted = accounts.map(({ events, visitors, id }) => {
    const { visitors: reported = 0, visitors_error: error = 0 } = last.get(id) ?? {};
    return `${events.toLocaleString('en')} events: ${visitors} visitors in ${days + 1} days, ${reported} reported for the last ${days}, with a stated error of ${error}`;
  });
  await writeResults({
    name: 'leadpulse-analytics',
    title: 'LeadPulse: analytics of 30 days',
    how: 'accounts in one database; milliseconds in the service, median and range; 5 interleaved rounds after a warm-up.',
    table: [
      `| query | ${accounts.map(({ events }) => `${events.toLocaleString('en')} events`).join(' | ')} | ratio |`,
      `|---|${accounts.map(() => '---|').join('')}---|`,
      ...rows,
      '',
      `${counted.join('. ')}.`,
    ].join('\n'),
    aims: [['the largest account / the smallest, slowest query', '≤ 2', worst.toFixed(2)]],
  });
  await app.close();
} finally {
  await db.dropDatabase();
  await parts.mongo.stop();
  await infra.release();
}
