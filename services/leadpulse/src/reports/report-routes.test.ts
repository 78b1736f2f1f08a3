import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { testCounting } from '../../test/counting.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import type { ReportEvent } from '../events/report-events.ts';
import { createReportJobsStore } from './report-jobs-store.ts';
import { prepareReport, type ReportKind } from './report-kinds.ts';
import { createReportWorker } from './report-worker.ts';

const bodies = {
  funnels: { steps: [{ page: '/' }, { event: 'signup' }] },
  retention: { first: { event: 'signup' }, returning: { event: '$pageview' } },
  paths: { from_event: { page: '/' } },
  query: { metrics: ['visitors'] },
};

test('reports', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const jobs = createReportJobsStore(parts.mongo.db);
  const worker = createReportWorker({ jobs, stores: testCounting(parts), logger: parts.logger });
  worker.start();
  t.after(() => worker.stop());
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const at = (minute: number) => `${day}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00Z`;
  const range = { from: day, to: day };
  const signup = (visitor: string, minute: number, more: object = {}) => ({ ...view(visitor, at(minute)), event: 'signup', ...more });

  for (const [name, body] of Object.entries(bodies))
    await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:read', url: () => `/v2/leadpulse/${name}`, body });
  const job = (client: Client) => client.post('/v2/leadpulse/funnels', { ...bodies.funnels, background: true });
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'leadpulse:read',
    url: async (client) => `/v2/leadpulse/reports/${(await job(client)).data.id}`,
  });

  await t.test('a contact with two browsers is one person; bots, other days and other accounts do not count', async () => {
    const account = testClient(app);
    const contact_id = 'contact_01h455vb4pex5vsknk084sn02q';
    await trackAndCount(parts, account, [
      view('phone', at(0)),
      signup('laptop', 30),
      view('other', at(5)),
      view('robot', at(6), '/', { user_agent: 'Googlebot/2.1' }),
      view('early', new Date(Date.parse(`${day}T00:00:00Z`) - 60_000).toISOString()),
    ]);
    // The contacts service is not part of this test.
    await parts.mongo.db
      .collection('events')
      .updateMany({ account_id: account.accountId, visitor_id: { $in: ['phone', 'laptop'] } }, { $set: { contact_id } });
    await trackAndCount(parts, testClient(app), [view('foreign', at(0))]);
    const { status, data } = await account.post('/v2/leadpulse/funnels', { ...bodies.funnels, ...range });
    assert.equal(status, 200);
    assert.deepEqual(
      data.steps.map(({ people, median_seconds, conversion }: { people: number; median_seconds: number; conversion: object }) => [
        people,
        median_seconds,
        conversion,
      ]),
      [
        [2, null, { value: 1, numerator: 2, denominator: 2 }],
        [1, 1_800, { value: 0.5, numerator: 1, denominator: 2 }],
      ],
    );
    assert.deepEqual(
      [data.from, data.to, data.breakdown, data.events_read],
      [`${day}T00:00:00.000Z`, new Date(Date.parse(day) + 86_400_000).toISOString(), null, 3],
    );
    const bots = await account.post('/v2/leadpulse/funnels', { ...bodies.funnels, ...range, include_bots: true, by: 'browser' });
    assert.equal(bots.data.steps[0].people, 3);
    const paths = await account.post('/v2/leadpulse/paths', { ...range, nodes: 'both' });
    assert.deepEqual([paths.data.sessions, paths.data.steps[0].nodes[0]], [3, { node: '/', sessions: 2, ended: 2 }]);
    const retention = await account.post('/v2/leadpulse/retention', { ...bodies.retention, ...range, interval: 'day' });
    assert.deepEqual(
      retention.data.cohorts.map(({ people }: { people: number }) => people),
      [1],
    );
  });

  await t.test('a large report is a job with the same result; the same request is the same job', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [view('v', at(0)), signup('v', 10, { properties: { 'a.b': 1, $c: 2 } })]);
    const steps = [{ page: '/' }, { event: 'signup', where: { 'properties.a.b': 1 } }];
    const now = await account.post('/v2/leadpulse/funnels', { steps, ...range });
    const queued = await account.post('/v2/leadpulse/funnels', { steps, ...range, background: true });
    assert.equal(queued.status, 202);
    assert.equal(queued.headers.location, `/v2/leadpulse/reports/${queued.data.id}`);
    const done = await eventually(async () => {
      const { data } = await account.get(`/v2/leadpulse/reports/${queued.data.id}`);
      return data.status === 'completed' && data;
    });
    const { as_of, query, ...result } = done.result;
    assert.deepEqual({ ...now.data, ...result }, now.data);
    assert.deepEqual(query, now.data.query);
    assert.ok(as_of);
    assert.equal(done.result.steps[1].people, 1);
    assert.equal((await account.post('/v2/leadpulse/funnels', { steps, ...range, background: true })).data.id, queued.data.id);
  });

  await t.test('the query of a result can be sent again', async () => {
    const account = testClient(app);
    const goal = await account.post('/v2/leadpulse/goals', { name: 'Sign-ups', match: { event: 'signup' } });
    for (const [name, body] of Object.entries({ ...bodies, [`goals/${goal.data.id}/report`]: { by: 'host', attribution: 'last' } })) {
      const { data } = await account.post(`/v2/leadpulse/${name}`, body);
      const again = await account.post(`/v2/leadpulse/${name}`, data.query);
      assert.deepEqual({ ...again.data, as_of: data.as_of }, data, again.text);
    }
  });

  await t.test('a goal report as a job has the same result, with bots if asked', async () => {
    const account = testClient(app);
    const robot = { context: { user_agent: 'Googlebot/2.1' } };
    await trackAndCount(parts, account, [signup('v', 10), signup('robot', 11, robot)]);
    const goal = await account.post('/v2/leadpulse/goals', { name: 'Sign-ups', match: { event: 'signup' } });
    const url = `/v2/leadpulse/goals/${goal.data.id}/report`;
    for (const include_bots of [false, true]) {
      const now = await account.post(url, { ...range, include_bots, by: 'host' });
      assert.equal(now.data.totals.conversions, include_bots ? 2 : 1);
      const queued = await account.post(url, { ...now.data.query, background: true });
      const done = await eventually(async () => {
        const { data } = await account.get(`/v2/leadpulse/reports/${queued.data.id}`);
        return data.status === 'completed' && data;
      });
      assert.deepEqual({ ...done.result, as_of: now.data.as_of }, now.data);
    }
  });

  await t.test('a funnel by a dimension of sessions uses the session in which the person entered', async () => {
    const account = testClient(app);
    const campaign = { campaign: { source: 'google', medium: 'cpc' } };
    await trackAndCount(parts, account, [
      ...[view('a', at(0), '/', campaign), view('a', at(5), '/pricing'), signup('a', 90)],
      view('b', at(0), '/pricing'),
    ]);
    const steps = [{ page: '/pricing' }, { event: 'signup' }];
    const { data } = await account.post('/v2/leadpulse/funnels', { steps, ...range, by: 'channel' });
    assert.deepEqual(
      data.breakdown.items.map(({ value, steps: of }: { value: string; steps: { people: number }[] }) => [
        value,
        of.map((step) => step.people),
      ]),
      [
        ['direct', [1, 0]],
        ['paid_search', [1, 1]],
      ],
    );
  });

  await t.test('titles and URLs are read only for reports that name them', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [{ ...view('v', at(0)), context: { page: { url: 'https://example.com/', title: 'Home' } } }]);
    const read: [boolean, boolean][] = [];
    const counting = testCounting(parts);
    const noting = async function* (events: AsyncIterable<ReportEvent>) {
      for await (const event of events) {
        read.push([event.title !== undefined, event.url !== undefined]);
        yield event;
      }
    };
    const events: typeof counting.events = {
      ...counting.events,
      byPerson: (...query) => noting(counting.events.byPerson(...query)),
      byVisitor: (...query) => noting(counting.events.byVisitor(...query)),
    };
    const run = (kind: ReportKind, body: object) =>
      prepareReport(kind, { ...body, ...range }).run({ ...counting, events }, account.accountId);
    const goal = { goal_id: 'goal_1', match: { page: '/' }, value: null };
    const isHome = { dimension: 'title', op: 'eq', value: 'Home' };
    for (const [kind, body] of [
      ['funnel', bodies.funnels],
      ['funnel', { ...bodies.funnels, by: 'title' }],
      ['paths', bodies.paths],
      ['query', { ...bodies.query, dimensions: ['country', 'host'] }],
      ['query', { ...bodies.query, filter: { not: isHome } }],
      ['goal', goal],
      ['goal', { ...goal, by: 'host', filter: isHome }],
    ] as const)
      await run(kind, body);
    assert.deepEqual(read, [
      [false, false],
      [true, false],
      [false, false],
      [false, true],
      [true, false],
      [false, false],
      [true, true],
    ]);
  });

  await t.test('rejects invalid steps, ranges and combinations with the field', async () => {
    const account = testClient(app);
    for (const [name, body, path] of [
      ['funnels', { steps: [{ event: 'a' }] }, '/steps'],
      ['funnels', { steps: [{ event: 'a' }, {}] }, '/steps/1'],
      ['funnels', { steps: [{ event: 'a' }, { page: 'pricing' }] }, '/steps/1/page'],
      ['funnels', { steps: Array(11).fill({ event: 'a' }) }, '/steps'],
      ['funnels', { ...bodies.funnels, window: 'P1M' }, '/window'],
      ['funnels', { ...bodies.funnels, by: 'shoe_size' }, '/by'],
      ['funnels', { ...bodies.funnels, from: '2026-02-02', to: '2026-02-01' }, '/to'],
      ['retention', { ...bodies.retention, interval: 'hour' }, '/interval'],
      ['retention', { ...bodies.retention, interval: 'day', from: '2025-11-01', to: '2026-02-01' }, '/interval'],
      ['retention', { first: { event: 'a' } }, '/returning'],
      ['paths', { from_event: { event: 'a' }, to_event: { event: 'b' } }, '/to_event'],
      ['paths', { depth: 7 }, '/depth'],
    ] as const) {
      const { status, error } = await account.post(`/v2/leadpulse/${name}`, body);
      assert.deepEqual([name, status, error?.details?.[0].path], [name, 400, path], JSON.stringify(body));
    }
  });
});
