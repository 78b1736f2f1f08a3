import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { DateTime } from 'luxon';
import { testCounting } from '../../test/counting.ts';
import { reportEvent } from '../../test/report-event.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { QueryBody, queryRanges, runQuery } from './query-report.ts';

type Metrics = ReturnType<typeof JSON.parse>;

const today = DateTime.utc().startOf('day');

test('counts by title and host whatever the URL, compares with the year before, counts bots if asked, and returns the query as it was run', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const day = today.minus({ days: 2 });
  const on = (at: DateTime) => at.set({ hour: 10 }).toISO() ?? '';
  const page = (url: string, title: string) => ({ page: { url, title } });
  await trackAndCount(parts, account, [
    view('a', on(day), '/', page('https://shop.example.com:8443/a?x=1', 'Shop')),
    view('b', on(day), '/', page('https://shop.example.com', 'Sale')),
    view('robot', on(day), '/', { ...page('https://example.com/', 'Shop'), user_agent: 'Googlebot/2.1' }),
    view('a', on(day.minus({ years: 1 })), '/', page('https://example.com/', 'Shop')),
    { event: 'order', visitor_id: 'a', timestamp: on(day) },
  ]);
  const date = day.toISODate();
  const body = { metrics: ['events'], from: date, to: date, compare: 'year' };
  const rows = async (dimension: string, more: object = {}) => {
    const { data } = await account.post('/v2/leadpulse/query', { ...body, dimensions: [dimension], order: 'events', ...more });
    return data.rows.map(({ values: [value], metrics: { events }, previous }: Metrics) => [value, events, previous.events]);
  };
  assert.deepEqual((await rows('title')).sort(), [
    [null, 1, 0],
    ['Sale', 1, 0],
    ['Shop', 1, 1],
  ]);
  assert.deepEqual(await rows('host'), [
    [null, 1, 0],
    ['shop.example.com', 2, 0],
  ]);
  assert.deepEqual((await rows('host', { include_bots: true })).sort(), [
    [null, 1, 0],
    ['example.com', 1, 1],
    ['shop.example.com', 2, 0],
  ]);
  const notShop = { not: { dimension: 'host', op: 'contains', value: 'shop' } };
  assert.deepEqual(await rows('event', { filter: { any: [{ dimension: 'title', op: 'eq', value: 'Sale' }, notShop] } }), [
    ['$pageview', 1, 1],
    ['order', 1, 0],
  ]);
  const { data } = await account.post('/v2/leadpulse/query', body);
  assert.deepEqual([data.totals.events, data.previous_totals.events, data.warnings], [3, 1, []]);
  assert.deepEqual(data.query, {
    ...{ ...body, from: data.from, to: data.to, timezone: 'UTC', include_bots: false },
    ...{ dimensions: [], order: '-events', limit: 100 },
  });
  const long = [`https://a:${'x'.repeat(400)}@example.com/`, `${' '.repeat(300)}https://example.com/`];
  await trackAndCount(
    parts,
    account,
    long.map((url) => view('c', on(day), '/', page(url, 'Shop'))),
  );
  assert.deepEqual(await rows('host'), [
    ['shop.example.com', 2, 0],
    [null, 3, 0],
  ]);
});

test('rejects invalid metrics, dimensions, filters and orders with the field, and more than 50,000 combinations of values', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const nested = (levels: number): object => (levels === 0 ? { dimension: 'page', op: 'exists' } : { not: nested(levels - 1) });
  for (const [more, path] of [
    [{ metrics: [] }, '/metrics'],
    [{ metrics: ['shoes'] }, '/metrics/0'],
    [{ dimensions: ['page', 'country', 'os'] }, '/dimensions'],
    [{ dimensions: ['shoes'] }, '/dimensions/0'],
    [{ filter: {} }, '/filter'],
    [{ filter: { all: [] } }, '/filter'],
    [{ filter: nested(5) }, '/filter'],
    [{ filter: { any: Array(30).fill({ all: [nested(0), nested(0)] }) } }, '/filter'],
    [{ order: 'revenue' }, '/order'],
    [{ limit: 1_001 }, '/limit'],
    [{ compare: 'century' }, '/compare'],
  ] as const) {
    const { status, error } = await testClient(app).post('/v2/leadpulse/query', { metrics: ['events'], ...more });
    assert.deepEqual([status, error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(more));
    assert.ok(error.details[0].path.startsWith(path), `${error.details[0].path} for ${JSON.stringify(more).slice(0, 80)}`);
  }
  const counting = testCounting(parts);
  const events = {
    ...counting.events,
    async *byVisitor() {
      for (let number = 0; number <= 50_000; number += 1) yield reportEvent('a', 0, 'order', { properties: { number } });
    },
  };
  const body = QueryBody.parse({ metrics: ['events'], dimensions: ['properties.number'] });
  const run = runQuery({ ...counting, events }, newId('account'), { body, ranges: queryRanges(body), onEvent: () => undefined });
  await assert.rejects(run, ({ details }) => details[0].code === 'too_many_values');
});
