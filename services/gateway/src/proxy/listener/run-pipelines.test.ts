import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawRequest } from '../../../test/raw-request.ts';
import { startTestGateway, type TestGateway } from '../../../test/start-test-gateway.ts';
import { loadModule } from './express-gateway-modules.ts';

/** Adds a line after another, in every pipeline that has it. */
const after = (line: string, added: string) => (file: string) => file.replaceAll(`- ${line}`, `$&\n      - ${added}`);
const declared = (name: string, file: string) => file.replace('policies:\n  [', `policies:\n  [${name}, `);
const swapped = (file: string) =>
  file
    .replace(/( +- check-headers: .*\n)( +- forward:\n {2}public)/, '$2')
    .replace('      - authenticate:\n', `      - check-headers: { action: { maxBytes: 16384 } }\n$&`);

const big = { 'x-big': 'a'.repeat(20_000) };
const codeOf = async ({ call }: TestGateway, path: string, headers: Record<string, string> = {}) =>
  (await call(path, { headers })).error?.code;

/** The same promises for compiled steps, and for a pipeline with a policy that lets everything pass through Express. */
for (const [way, add] of [
  ['compiled', (file: string) => file],
  [
    'through Express',
    (file: string) => declared('cors', after('authenticate:', 'cors: { action: { origin: https://shop.example } }')(file)),
  ],
] as const) {
  test(`another order takes effect, ${way}`, async (t) => {
    const usual = await startTestGateway(t, { pipelines: add });
    assert.equal(await codeOf(usual, '/v2/contacts', big), 'UNAUTHORIZED');
    const other = await startTestGateway(t, { pipelines: (file) => add(swapped(file)) });
    assert.equal(await codeOf(other, '/v2/contacts', big), 'HEADERS_TOO_LARGE');
    assert.equal(await codeOf(other, '/v2/contacts'), 'UNAUTHORIZED');
  });

  test(`another option takes effect, ${way}`, async (t) => {
    const gateway = await startTestGateway(t, {
      pipelines: (file) => add(file.replace('maxBytes: 8192', 'maxBytes: 64').replace('/v2/settings/usage', '/v2/contacts')),
    });
    const key = await gateway.makeKey({ daily_requests: 1 });
    const long = await gateway.call(`/v2/contacts?q=${'a'.repeat(64)}`, { key });
    assert.equal(long.error.message, 'The path and query are 79 bytes long; the maximum is 64.');
    for (let count = 0; count < 3; count += 1) assert.equal((await gateway.call('/v2/contacts', { key })).status, 200, 'uncharged');
    assert.equal((await gateway.call('/v2/me', { key })).status, 200);
    assert.equal((await gateway.call('/v2/me', { key })).status, 429);
  });

  test(`the exact bytes decide which pipeline a request takes, ${way}`, async (t) => {
    const gateway = await startTestGateway(t, { pipelines: add });
    const key = await gateway.makeKey();
    for (const path of ['/V2/contacts', '//v2/contacts', '/v2%2fcontacts', '/v2;x', '/v2/%zz']) {
      const request = (more: string) => rawRequest(gateway.url, `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}connection: close\r\n\r\n`);
      assert.equal((await request('')).status, 401, path);
      assert.equal((await request(`authorization: ${key.authorization}\r\n`)).status, path.includes('%zz') ? 400 : 404, path);
    }
    assert.equal(await codeOf(gateway, '/%zz'), 'VALIDATION_ERROR');
    assert.equal(gateway.service.seen.length, 0);
  });

  test(`requests are forwarded with their bodies, and errors are ours, ${way}`, async (t) => {
    const { send, makeKey, call, service } = await startTestGateway(t, { pipelines: add });
    const key = await makeKey();
    const { status, headers } = await send('POST', '/v2/contacts', { email: 'ada@example.com' }, { key });
    assert.equal(status, 200);
    assert.equal(headers.get('access-control-allow-origin'), way === 'compiled' ? null : 'https://shop.example');
    assert.equal(service.last()?.body, '{"email":"ada@example.com"}');
    assert.ok(service.last()?.headers['x-mp-context']);
    assert.equal((await call('/v2/nothing', { key })).error.code, 'NOT_FOUND');
    assert.equal((await call('/health/live')).status, 200);
  });
}

test('a policy of a plugin runs in the order of the file, together with ours', async (t) => {
  const seen: string[] = [];
  loadModule('express-gateway/lib/policies').register({
    name: 'note',
    schema: { $id: 'urn:test:note' },
    policy: (options) => (req, res, next) => {
      const { as } = Object(options);
      seen.push(as);
      if (req.headers['x-stop'] === as) return void res.end(as);
      next(req.headers['x-break'] === as ? new Error('the plugin is broken') : undefined);
    },
  });
  const noted = (policy: string) => after(policy, `note: { action: { as: after ${policy.replace(':', '')} } }`);
  const gateway = await startTestGateway(t, {
    pipelines: (file) =>
      declared(
        'note',
        noted('authenticate:')(
          noted('authorize:')(after('burst-limit:', 'note: [{ action: { as: one } }, { action: { as: two } }]')(file)),
        ),
      ),
  });
  const key = await gateway.makeKey({ permission: 'read_only' });
  const order = async (init: Parameters<typeof gateway.call>[1], path = '/v2/contacts') => {
    seen.length = 0;
    const { status } = await gateway.call(path, init);
    return [status, ...seen];
  };
  assert.deepEqual(await order({}), [401]);
  assert.deepEqual(await order({ key, method: 'POST' }), [403, 'after authenticate', 'one', 'two']);
  assert.deepEqual(await order({ key }), [200, 'after authenticate', 'one', 'two', 'after authorize']);
  assert.equal(gateway.service.seen.length, 1);
  assert.deepEqual(await order({ key, headers: { 'x-stop': 'one' } }), [200, 'after authenticate', 'one']);
  assert.deepEqual(await order({ key, headers: { 'x-break': 'two' } }), [500, 'after authenticate', 'one', 'two']);
  assert.equal(gateway.service.seen.length, 1, 'what a plugin answered or broke is not forwarded');
  assert.deepEqual(await order({}, '/health/live'), [200], 'other pipelines have no such policy');
});

test('a pipeline that forwards nothing responds with 404', async (t) => {
  const gateway = await startTestGateway(t, {
    pipelines: (file) => file.replace('policies: *public\n  dashboard', 'policies: [find-route: {}]\n  dashboard'),
  });
  assert.equal(await codeOf(gateway, '/t/x'), 'NOT_FOUND');
  assert.equal(
    await codeOf(
      await startTestGateway(t, {
        pipelines: (file) =>
          file.replace(/policies: \*public\n$/, 'policies: [cors: {}]\n').replace('[authenticate', '[cors, authenticate'),
      }),
      '/x',
    ),
    'NOT_FOUND',
  );
});

test('an unsafe pipeline does not start, and the error says what is missing', async (t) => {
  const unsafe = startTestGateway(t, {
    pipelines: (file) => file.replace('      - authorize:\n', '').replace(/ +- daily-quota: .*\n/, ''),
  });
  await assert.rejects(unsafe, /gateway\.config\.yml, pipeline api: forward must come after authorize, daily-quota\./);
});
