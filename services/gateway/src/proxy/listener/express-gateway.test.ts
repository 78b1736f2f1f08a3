import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { ServiceName } from '@mp/contracts/services';
import { parse } from 'yaml';
import { startFakeService } from '../../../test/fake-service.ts';
import { rawRequest } from '../../../test/raw-request.ts';
import { editedConfig, startTestGateway } from '../../../test/start-test-gateway.ts';
import { configFolder } from '../routes/generated-config.ts';
import { Route } from '../routes/route.ts';

const run = promisify(execFile);

type Alone = { text: string; straight: boolean; loaded: string[]; handles: string[] };

/** Starts express-gateway alone in a separate process, with policies that answer at once, and reports on it. */
async function startAlone(t: TestContext, change = (config: string) => config) {
  const folder = await editedConfig(t, change);
  const script = `
    const { createRequire } = await import('node:module');
    const { IncomingMessage } = await import('node:http');
    const { z } = await import('zod');
    const from = (name) => import(new URL(name, ${JSON.stringify(import.meta.url)}).href);
    const { startExpressGateway } = await from('./express-gateway.ts');
    const { policy } = await from('../policies/policy.ts');
    const logger = { warn() {}, error() {} };
    let straight;
    const options = { 'daily-quota': { uncharged: z.array(z.string()) }, 'check-target': { maxBytes: z.int() }, 'check-headers': { maxBytes: z.int() } };
    const names = ['authenticate', 'check-address', 'burst-limit', 'check-target', 'check-headers', 'find-route', 'authorize', 'daily-quota'];
    const policies = {
      ...Object.fromEntries(names.map((name) => [name, policy([], options[name] ?? {}, () => undefined)])),
      forward: policy([], {}, (exchange) => {
        // Express replaces the prototype of every request.
        straight = Object.getPrototypeOf(exchange.req) === IncomingMessage.prototype;
        exchange.ended = 'relayed';
        exchange.res.end('ours');
      }),
    };
    const handleRequest = (req, res, run) => run({ req, res, pathGroup: 'api' });
    const server = await startExpressGateway({ folder: ${JSON.stringify(folder)}, host: '127.0.0.1', port: 0, logger, prepare() {}, policies, handleRequest });
    const response = await fetch('http://127.0.0.1:' + server.address().port + '/v2/anything');
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    const handles = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap' || kind === 'FSEventWrap');
    console.log(JSON.stringify({ text: await response.text(), straight, loaded, handles }));
    process.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Alone;
}

test('express-gateway runs our policies and nothing else', async (t) => {
  const { text, straight, loaded, handles } = await startAlone(t);
  assert.deepEqual([text, straight], ['ours', true], 'directly from the server, not through Express');
  for (const part of [
    '/ioredis/',
    '/redis/',
    '/express-gateway/lib/services/',
    '/jsonwebtoken/',
    '/bcrypt',
    '/http-proxy',
    '/oauth2orize/',
  ])
    assert.equal(loaded.filter((path) => path.includes(part)).length, 0, `${part} is not loaded`);
  assert.deepEqual(handles, ['TCPServerWrap'], 'one listener: no admin server and no configuration watcher');
});

test('does not start if a pipeline names an unknown policy', async (t) => {
  const unknown = (config: string) =>
    config.replace('policies:\n  [', 'policies:\n  [missing, ').replace('- burst-limit:', '$&\n      - missing:');
  await assert.rejects(startAlone(t, unknown), /POLICY_NOT_FOUND/);
});

test('does not start if a pipeline names an undeclared policy', async (t) => {
  await assert.rejects(
    startAlone(t, (config) => config.replace('- burst-limit:', '$&\n      - cors:')),
    /POLICY_NOT_DECLARED/,
  );
});

test('the configuration starts no admin server and no plugin', async () => {
  assert.doesNotMatch(await readFile(join(configFolder, 'gateway.config.yml'), 'utf8'), /^admin:/m);
  assert.doesNotMatch(await readFile(join(configFolder, 'system.config.yml'), 'utf8'), /^plugins:/m);
});

test('no policy of ours has the name of one of express-gateway, which it would load instead', async () => {
  const theirs = await readdir(join(createRequire(import.meta.url).resolve('express-gateway'), '../policies'));
  assert.ok(theirs.includes('key-auth'));
  const { policies }: { policies: string[] } = parse(await readFile(join(configFolder, 'gateway.config.yml'), 'utf8'));
  assert.deepEqual(
    policies.filter((name) => theirs.includes(name)),
    [],
  );
});

test('loads only dependencies without known vulnerabilities, and the unused ones are not installed', () => {
  const within = createRequire(createRequire(import.meta.url).resolve('express-gateway'));
  const installed = (name: string): { name: string; version: string } => within(`${name}/package.json`);
  for (const [name, least] of [
    ['passport', '0.7.0'],
    ['jsonwebtoken', '9.0.3'],
    ['superagent', '10.2.0'],
    ['ejs', '3.1.10'],
  ] as const) {
    const { version } = installed(name);
    assert.ok(version.localeCompare(least, undefined, { numeric: true }) >= 0, `${name} ${version} is older than ${least}`);
  }
  assert.equal(installed('http-proxy').name, 'http-proxy-3');
  for (const name of ['proxy-agent', 'yeoman-environment', 'yeoman-generator', 'yawn-yaml'])
    assert.equal(installed(name).name, 'empty-npm-package', name);
});

test('ignores proxies from the environment', async (t) => {
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy'];
  for (const name of names) process.env[name] = 'http://127.0.0.1:1';
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  const { call, makeKey, service } = await startTestGateway(t);
  assert.equal((await call('/v2/contacts', { key: await makeKey() })).status, 200);
  assert.equal(service.last()?.target, '/v2/contacts');
});

test('requests that match no route, or that Express could not parse, get our errors instead of Express pages', async (t) => {
  const { url } = await startTestGateway(t);
  assert.notEqual(process.env.NODE_ENV, 'production', 'outside production, Express would show a stack');
  for (const [method, target, status, code] of [
    ['POST', '/nothing', 404, 'NOT_FOUND'],
    ['DELETE', '/', 404, 'NOT_FOUND'],
    ['POST', '/reference', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/%zz', 400, 'VALIDATION_ERROR'],
    ['GET', '/reference/%c3%28', 400, 'VALIDATION_ERROR'],
    ['GET', '/health/..%2fv2', 404, 'NOT_FOUND'],
  ] as const) {
    const response = await rawRequest(url, `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const shown = `${method} ${target} → ${response.text.slice(0, 300)}`;
    assert.equal(response.status, status, shown);
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8', shown);
    const { success, error } = JSON.parse(response.body);
    assert.deepEqual([success, error.code], [false, code], shown);
    assert.doesNotMatch(response.text, /x-powered-by|<pre>|\bat .*\.(?:js|ts):\d+/i, shown);
  }
});

/** The operations of the base contract. */
const operations = `
contacts GET /v2/contacts
contacts POST /v2/contacts
contacts GET /v2/contacts/{id}
contacts PUT /v2/contacts/{id}
contacts DELETE /v2/contacts/{id}
campaigns GET /v2/campaigns
campaigns POST /v2/campaigns
campaigns POST /v2/campaigns/{id}/send
campaigns GET /v2/campaigns/{id}/analytics
segments GET /v2/segments
segments POST /v2/segments
segments GET /v2/segments/{id}/contacts
leadpulse POST /v2/leadpulse/track
leadpulse GET /v2/leadpulse/visitors
leadpulse GET /v2/leadpulse/analytics
workflows GET /v2/workflows
workflows POST /v2/workflows
workflows POST /v2/workflows/{id}/trigger`;

test('each of the 18 operations reaches its service, and tracking links reach campaigns without a credential', async (t) => {
  const routes = operations
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([service, method, path]) => Route.parse({ service, method, path, scope: null, body_limit: 1_000 }));
  assert.equal(routes.length, 18);
  const services = new Map<ServiceName, Awaited<ReturnType<typeof startFakeService>>>();
  for (const { service } of routes) if (!services.has(service)) services.set(service, await startFakeService(t));
  const urls = Object.fromEntries([...services].map(([name, { url }]) => [name, url]));
  const { call, makeKey } = await startTestGateway(t, { routes, services: urls });
  const key = await makeKey();
  for (const { service, method, path } of routes) {
    const target = path.replace('{id}', 'some_1');
    assert.equal((await call(target, { key, method })).status, 200, `${method} ${target}`);
    const { method: seenMethod, target: seenTarget } = services.get(service)?.last() ?? {};
    assert.deepEqual([seenMethod, seenTarget], [method, target]);
  }

  assert.equal((await call('/t/open/abc.gif?x=1', { headers: { 'user-agent': 'mail' } })).status, 200);
  const seen = services.get('campaigns')?.last();
  assert.equal(seen?.target, '/t/open/abc.gif?x=1');
  assert.equal(seen.headers['user-agent'], 'mail');
  assert.equal(seen.headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(seen.headers['x-mp-context'], undefined);
});
