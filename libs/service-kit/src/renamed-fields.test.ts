import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { testClient } from '@mp/test-kit/client';
import { contextKeys } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createServer } from './create-server.ts';
import { fingerprintOf } from './idempotency-claim.ts';
import { createLogger } from './logger.ts';

const Job = z
  .object({ id: z.string(), status: renamedFrom('state', z.enum(['open', 'done']).describe('Whether it is done.')) })
  .meta({ id: 'RenamedJob' });
const jobs = z.object({ success: z.literal(true), data: z.object({ items: z.array(Job), latest: Job.nullable() }) });

async function createApp() {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  const seen: unknown[] = [];
  const fingerprints: string[] = [];
  const querystring = z.strictObject({ status: renamedFrom('state', z.enum(['open', 'done']).optional()) });
  app.get(
    '/v2/jobs',
    { config: { scope: 'contacts:read' }, schema: { querystring, response: { 200: jobs } } },
    async ({ query }, reply) => {
      seen.push(query);
      const job = { id: 'job_1', status: 'open' as const };
      return reply.send({ success: true, data: { items: [job], latest: job } });
    },
  );
  const body = z.strictObject({
    window: renamedFrom('window_days', z.int().default(7)),
    filter: z.strictObject({ status: renamedFrom('state', z.string().optional()) }).optional(),
  });
  app.put('/v2/jobs', { config: { scope: 'contacts:write' }, schema: { body } }, async (request) => {
    seen.push(request.body);
    fingerprints.push(fingerprintOf(request));
    return { success: true, data: {} };
  });
  await app.ready();
  return { app, client: testClient(app), seen, fingerprints };
}

test('a renamed field has both names in requests and responses', async (t) => {
  const { app, client, seen, fingerprints } = await createApp();
  t.after(() => app.close());

  await t.test('a response has the old name beside the new one, wherever the field is', async () => {
    const { data } = await client.get('/v2/jobs');
    const job = { id: 'job_1', status: 'open', state: 'open' };
    assert.deepEqual(data, { items: [job], latest: job });
  });

  await t.test('a query parameter has either name, and the route sees the new one', async () => {
    for (const query of ['state=done', 'status=done', 'status=done&state=done']) {
      assert.equal((await client.get(`/v2/jobs?${query}`)).status, 200);
      assert.deepEqual(seen.at(-1), { status: 'done' });
    }
  });

  await t.test('a body has either name, or both while they agree', async () => {
    for (const names of [{ window: 3 }, { window_days: 3 }, { window: 3, window_days: 3 }]) {
      assert.equal((await client.put('/v2/jobs', names)).status, 200);
      assert.deepEqual(seen.at(-1), { window: 3 });
    }
    assert.equal((await client.put('/v2/jobs', { filter: { state: 'open' } })).status, 200);
    assert.deepEqual(seen.at(-1), { window: 7, filter: { status: 'open' } });
  });

  await t.test('names that differ get 400 with the path of the old one', async () => {
    const refused = async (pending: ReturnType<typeof client.get>, path: string) => {
      const { status, error } = await pending;
      const [{ code, path: at }] = error.details;
      assert.deepEqual([status, error.code, code, at], [400, 'VALIDATION_ERROR', 'names_differ', path]);
    };
    await refused(client.put('/v2/jobs', { window: 3, window_days: 4 }), '/window_days');
    await refused(client.put('/v2/jobs', { filter: { status: 'open', state: 'done' } }), '/filter/state');
    await refused(client.get('/v2/jobs?status=open&state=done'), '/query/state');
  });

  await t.test('a value that is not valid is rejected by either name', async () => {
    assert.equal((await client.get('/v2/jobs?state=lost')).status, 400);
    assert.equal((await client.put('/v2/jobs', { window_days: 'x' })).status, 400);
  });

  await t.test('a retry is the same request whichever name it has', async () => {
    fingerprints.length = 0;
    await client.put('/v2/jobs', { window: 3, filter: { status: 'open' } });
    await client.put('/v2/jobs', { window_days: 3, filter: { state: 'open' } });
    await client.put('/v2/jobs', { window: 4 });
    const [byNew, byOld, another] = fingerprints;
    assert.equal(byNew, byOld);
    assert.notEqual(byNew, another);
  });
});

test('a response that was stored before the rename is returned by both names', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  t.after(() => app.close());
  const stored = { success: true, data: { id: 'job_1', state: 'done' } };
  app.addHook('preSerialization', async () => stored);
  const response = { 200: z.object({ success: z.literal(true), data: Job }) };
  app.get('/v2/jobs', { config: { scope: 'contacts:read' }, schema: { response } }, async () => {
    return { success: true as const, data: { id: 'job_1', status: 'open' as const } };
  });
  await app.ready();
  assert.deepEqual((await testClient(app).get('/v2/jobs')).data, { id: 'job_1', status: 'done', state: 'done' });
});

test('in a response, a value of the old name that the route has besides does not count', async (t) => {
  const app = createServer({ name: 'kit', contextKeys, logger: createLogger('kit', 'silent') });
  t.after(() => app.close());
  const response = { 200: z.object({ success: z.literal(true), data: Job }) };
  app.get('/v2/jobs', { config: { scope: 'contacts:read' }, schema: { response } }, async () => {
    const row = { id: 'job_1', state: 'stored', status: 'open' as const };
    return { success: true as const, data: row };
  });
  await app.ready();
  assert.deepEqual((await testClient(app).get('/v2/jobs')).data, { id: 'job_1', status: 'open', state: 'open' });
});

test('the OpenAPI document marks the old name as deprecated', async (t) => {
  const { app } = await createApp();
  t.after(() => app.close());
  const document = JSON.parse(JSON.stringify(app.swagger()));
  const { properties, required } = document.components.schemas.RenamedJob;
  assert.deepEqual(properties.state, {
    type: 'string',
    enum: ['open', 'done'],
    description: 'The former name of `status`.',
    deprecated: true,
    'x-renamed-to': 'status',
  });
  assert.deepEqual(properties.status, { type: 'string', enum: ['open', 'done'], description: 'Whether it is done.' });
  assert.deepEqual(required, ['id', 'status', 'state']);
  const { get, put } = document.paths['/v2/jobs'];
  assert.deepEqual(
    get.parameters.map(({ name, schema }: { name: string; schema: { deprecated?: boolean } }) => [name, schema.deprecated]),
    [
      ['status', undefined],
      ['state', true],
    ],
  );
  const body = put.requestBody.content['application/json'].schema;
  assert.deepEqual([body.properties.window.default, body.properties.window_days.default], [7, undefined]);
});
