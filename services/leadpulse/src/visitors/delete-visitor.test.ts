import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { createEventsStore } from '../events/events-store.ts';
import { createRetentionWorker } from '../retention/retention-worker.ts';
import { createSessionsStore } from '../sessions/sessions-store.ts';
import { createSettingsStore } from '../settings/settings-store.ts';
import { createVisitorDeletionsStore } from './visitor-deletions-store.ts';
import { createVisitorsStore } from './visitors-store.ts';

const dayMs = 86_400_000;
const at = (days: number, minute = 0) => new Date(Date.now() - days * dayMs + minute * 60_000).toISOString();

test('deletion, export and retention of visitors', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const { db } = parts.mongo;
  const visitorOf = async (client: Client, name = 'v') => (await client.get(`/v2/leadpulse/visitors?visitor_id=${name}`)).data.items[0];
  const create = async (client: Client) => {
    await trackAndCount(parts, client, [view('v', at(1))]);
    return `/v2/leadpulse/visitors/${(await visitorOf(client)).id}`;
  };
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'leadpulse:write', url: create });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: async (client) => `${await create(client)}/export` });

  /** How many rows of the account are stored about visitors. */
  const stored = async ({ accountId }: Client) =>
    Promise.all(['visitors', 'events', 'sessions'].map((name) => db.collection(name).countDocuments({ account_id: accountId })));
  const startWorker = () => {
    const worker = createRetentionWorker({
      events: createEventsStore(db),
      sessions: createSessionsStore(db),
      visitors: createVisitorsStore(db, parts.cursors),
      settings: createSettingsStore(db),
      deletions: createVisitorDeletionsStore(db),
      logger: parts.logger,
    });
    worker.start();
    t.after(() => worker.stop());
  };

  await t.test('an export has everything about the visitor, its sessions and its events, and nothing of other visitors', async () => {
    const account = testClient(app);
    const user_agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const kept = { user_agent, locale: 'de-DE', timezone: 'Europe/Berlin', screen: '1920x1080' };
    const seen = { ...kept, ip: '203.0.113.7', country: 'DE', campaign: { source: 'news' } };
    const last = { ...view('v', at(1, 1), '/b', seen), message_id: 'm3', email: 'ada@example.com' };
    await trackAndCount(parts, account, [view('v', at(2)), view('v', at(1), '/a'), last, view('other', at(1))]);
    const { id } = await visitorOf(account);
    const { text, headers } = await account.get(`/v2/leadpulse/visitors/${id}/export`);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['visitor', 'session', 'session', 'event', 'event', 'event'],
    );
    assert.deepEqual([lines[0].data.id, lines[3].data.page.path, lines[5].data.page.path], [id, '/', '/b']);
    const { message_id, claims, visitor_id, utm, country, device, browser, os, context } = lines[5].data;
    assert.deepEqual(
      { message_id, claims, visitor_id, utm: utm.source, country, device, browser, os, context },
      {
        ...{ message_id: 'm3', claims: ['email:ada@example.com'], visitor_id: 'v', utm: 'news', country: 'DE' },
        ...{ device: 'desktop', browser: 'Firefox', os: 'Linux', context: { ...kept, network: '203.0.113.0' } },
      },
    );
    assert.deepEqual(lines[0].data.claims, ['email:ada@example.com']);
    assert.ok(!text.includes(account.accountId));
    assert.match(String(headers['content-type']), /^application\/x-ndjson/);
  });

  await t.test('a deleted visitor is gone with its events and sessions; analytics keep the counts; a retry returns the same', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [view('v', at(1)), view('v', at(2)), view('other', at(1))]);
    const url = `/v2/leadpulse/visitors/${(await visitorOf(account)).id}`;
    const retry = { 'idempotency-key': 'k1' };
    const deleted = await account.delete(url, retry);
    assert.deepEqual(deleted.data, (await account.delete(url, retry)).data);
    assert.deepEqual([(await account.get(url)).status, (await account.delete(url)).status], [404, 404]);
    startWorker();
    await eventually(async () => (await stored(account)).every((count) => count === 1));
    assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.pageviews, 3);
    await trackAndCount(parts, account, [view('v', at(0))]);
    assert.equal((await visitorOf(account)).events, 1, 'the same browser is a new visitor');
  });

  await t.test('an account that keeps 800 days accepts and keeps what others delete after 400', async () => {
    const [long, usual] = [testClient(app), testClient(app)];
    for (const account of [long, usual]) await account.put('/v2/leadpulse/settings', { retention_days: 800 });
    for (const account of [long, usual]) await trackAndCount(parts, account, [view('old', at(700)), view('new', at(1))]);
    assert.equal((await usual.put('/v2/leadpulse/settings', { retention_days: 400 })).data.retention_days, 400);
    startWorker();
    await eventually(async () => (await stored(usual)).every((count) => count === 1));
    assert.deepEqual(await stored(long), [2, 2, 2]);
    const [first, last] = [at(700).slice(0, 10), at(650).slice(0, 10)];
    for (const account of [long, usual])
      assert.equal((await account.get(`/v2/leadpulse/analytics?from=${first}&to=${last}`)).data.totals.pageviews, 1, 'counts stay');
    const expiry = (await db.collection('events').indexes()).find(({ name }) => name === 'expiry');
    assert.equal(expiry?.expireAfterSeconds, 801 * 86_400);
  });

  await t.test('what is older than the retention of its account is deleted and rejected; analytics keep the counts', async () => {
    const [short, long] = [testClient(app), testClient(app)];
    const events = [view('old', at(40)), view('both', at(40, 1)), view('both', at(5)), view('new', at(5))];
    for (const account of [short, long]) await trackAndCount(parts, account, events);
    assert.equal((await short.put('/v2/leadpulse/settings', { retention_days: 29 })).status, 400);
    assert.equal((await short.put('/v2/leadpulse/settings', { retention_days: 30 })).data.retention_days, 30);
    startWorker();
    await eventually(async () => (await stored(short)).every((count) => count === 2));
    assert.deepEqual(await stored(long), [3, 4, 4]);
    assert.equal((await short.get(`/v2/leadpulse/analytics?from=${at(60).slice(0, 10)}`)).data.totals.pageviews, 4);
    const first = at(60).slice(0, 10);
    const direct = async (account: Client, from: string) =>
      (await account.get(`/v2/leadpulse/analytics?from=${from}&by=channel`)).data.breakdown.items.map(
        ({ visitors, visitors_error, sessions }: Record<string, number | null>) => [visitors, visitors_error, sessions],
      );
    assert.deepEqual(await direct(short, first), [[null, null, 4]], 'visitors cannot be counted from what is deleted');
    assert.deepEqual(await direct(long, first), [[3, 0, 4]]);
    assert.deepEqual(await direct(short, at(10).slice(0, 10)), [[2, 0, 2]]);
    const warned = async (account: Client, path: string, body: object) =>
      (await account.post(`/v2/leadpulse/${path}`, body)).data.warnings.map(({ code }: { code: string }) => code);
    const counted = { metrics: ['events'], from: at(20).slice(0, 10) };
    const funnel = { steps: [{ event: 'a' }, { event: 'b' }], from: first };
    assert.deepEqual(await warned(short, 'query', counted), []);
    assert.deepEqual(await warned(short, 'query', { ...counted, compare: 'previous' }), ['before_retention']);
    assert.deepEqual(await warned(long, 'query', { ...counted, from: first, compare: 'year' }), ['before_retention']);
    assert.deepEqual(await warned(long, 'query', { ...counted, from: first }), []);
    assert.deepEqual(await warned(short, 'funnels', funnel), ['before_retention']);
    assert.deepEqual(await warned(long, 'funnels', funnel), []);
    await eventually(async () => (await short.post('/v2/leadpulse/track', view('late', at(31)))).status === 400);
    const batch = await short.post('/v2/leadpulse/track', { events: [view('late', at(31)), view('late', at(29))] });
    assert.deepEqual([batch.data.rejected, batch.data.accepted], [1, 1]);
    assert.equal((await long.post('/v2/leadpulse/track', view('late', at(31)))).status, 202);
  });
});
