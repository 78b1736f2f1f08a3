import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

const steps = [{ page: '/' }, { event: 'signup', where: { 'properties.plan': 'pro' } }];
const funnel = { name: 'Sign-ups', days: 7, report: { kind: 'funnel', request: { steps, order: 'strict' } } };
const query = { name: 'Visitors by country', report: { kind: 'query', request: { metrics: ['visitors'], dimensions: ['country'] } } };
const dayMs = 86_400_000;

test('/v2/leadpulse/saved-reports', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const url = '/v2/leadpulse/saved-reports';
  const create = async (client: ReturnType<typeof testClient>, body: object = funnel) => `${url}/${(await client.post(url, body)).data.id}`;

  await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:write', url: () => url, body: funnel });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => url });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: create });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'leadpulse:write', url: create, body: { name: 'Funnel' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'leadpulse:write', url: create });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'leadpulse:read',
    url: async (client) => `${await create(client)}/run`,
    body: { timezone: 'UTC' },
  });

  await t.test('a saved report from GET can be edited and put back; a retry saves one; a deleted one is gone', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 'k1' };
    const { data: saved, status } = await account.post(url, funnel, retry);
    assert.deepEqual([status, saved.days, saved.report.request.steps, saved.report.request.window], [201, 7, steps, 'P30D']);
    assert.deepEqual((await account.post(url, funnel, retry)).data, saved);
    const own = `${url}/${saved.id}`;
    const put = await account.put(own, { ...saved, name: 'Sign-ups, 30 days', days: 30 }, { 'if-match': '"1"' });
    assert.deepEqual([put.data.revision, put.data.name, put.data.days], [2, 'Sign-ups, 30 days', 30]);
    assert.equal((await account.put(own, saved, { 'if-match': '"1"' })).status, 412);
    assert.deepEqual((await account.get(url)).data.items, [put.data]);
    assert.equal((await account.delete(own)).status, 200);
    assert.equal((await account.post(`${own}/run`, {})).status, 404);
  });

  await t.test('a run returns what the report itself returns, in the saved range or that of the run', async () => {
    const account = testClient(app);
    const at = (days: number, minute: number) => new Date(Date.now() - days * dayMs + minute * 60_000).toISOString();
    const signup = (visitor: string, timestamp: string) => ({ ...view(visitor, timestamp), event: 'signup', properties: { plan: 'pro' } });
    await trackAndCount(parts, account, [
      ...[view('new', at(2, 0)), signup('new', at(2, 1))],
      ...[view('old', at(20, 0)), signup('old', at(20, 1))],
    ]);
    const own = await create(account);
    const people = ({ data }: { data: { steps: { people: number }[] } }) => data.steps.map((step) => step.people);
    const saved = await account.post(`${own}/run`, {});
    const direct = await account.post('/v2/leadpulse/funnels', { steps, order: 'strict', from: saved.data.from, to: saved.data.to });
    assert.deepEqual({ ...saved.data, as_of: '' }, { ...direct.data, as_of: '' });
    assert.deepEqual(people(saved), [1, 1]);
    assert.deepEqual(people(await account.post(`${own}/run`, { from: at(30, 0).slice(0, 10) })), [2, 2]);
    const rows = await account.post(`${await create(account, query)}/run`, {});
    assert.deepEqual(rows.data.rows, [{ values: [null], metrics: { visitors: 2 }, previous: null }]);
    const job = await account.post(`${own}/run`, { background: true });
    assert.deepEqual([job.status, job.data.kind, job.headers.location], [202, 'funnel', `/v2/leadpulse/reports/${job.data.id}`]);
  });

  await t.test('rejects an invalid request with its field, two ranges, and changed read-only fields', async () => {
    const account = testClient(app);
    const fault = async (body: object) => (await account.post(url, body)).error.details[0].path;
    assert.equal(await fault({ ...funnel, report: { kind: 'funnel', request: { steps: [{ page: '/' }] } } }), '/report/request/steps');
    assert.equal(await fault({ ...funnel, report: { kind: 'funnel', request: { steps, from: '2026-01-01' } } }), '/days');
    const values = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(1_000, 'x'));
    const large = { ...query.report, request: { metrics: ['visitors'], filter: { dimension: 'page', op: 'in', value: values } } };
    const { details } = (await account.post(url, { ...query, report: large })).error;
    assert.deepEqual([details[0].path, details[0].code], ['/report', 'too_large']);
    assert.equal((await account.put(await create(account), { report: large })).error.details[0].code, 'too_large');
    assert.equal((await account.put(await create(account), { revision: 7 })).error.details[0].code, 'read_only');
  });
});
