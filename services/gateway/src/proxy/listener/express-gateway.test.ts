import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { ServiceName } from '@mp/contracts/services';
import { startFakeService } from '../../../test/fake-service.ts';
import { rawRequest } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { configFolder } from '../routes/generated-config.ts';
import { Route } from '../routes/route.ts';

const run = promisify(execFile);

type Alone = { text: string; unread: string; origin: string | null; straight: boolean; loaded: string[]; handles: string[] };

/** Starts only express-gateway in a separate process, with the configuration as edited by `change`, and reports on it. */
async function startAlone(change: (config: string) => string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'eg-'));
  await cp(configFolder, folder, { recursive: true });
  const path = join(folder, 'gateway.config.yml');
  await writeFile(path, change(await readFile(path, 'utf8')));
  const script = `
    const { createRequire } = await import('node:module');
    const { IncomingMessage } = await import('node:http');
    const { startExpressGateway } = await import(${JSON.stringify(new URL('./express-gateway.ts', import.meta.url).href)});
    const logger = { warn() {}, error() {} };
    let straight;
    const answer = async (req, res) => {
      // Express replaces the prototype of every request.
      straight = Object.getPrototypeOf(req) === IncomingMessage.prototype;
      res.end('ours');
    };
    const server = await startExpressGateway({ folder: ${JSON.stringify(folder)}, host: '127.0.0.1', port: 0, logger, prepare() {}, requestPath: answer });
    const ask = (path) => fetch('http://127.0.0.1:' + server.address().port + path);
    const response = await ask('/v2/anything');
    const unread = await (await ask('/%zz')).text();
    const origin = response.headers.get('access-control-allow-origin');
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    const handles = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap' || kind === 'FSEventWrap');
    console.log(JSON.stringify({ text: await response.text(), unread, origin, straight, loaded, handles }));
    process.exit();`;
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, ...env } });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Alone;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('express-gateway runs our request path and nothing else', async () => {
  const { text, straight, loaded, handles } = await startAlone((config) => config);
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

test('does not start if a pipeline names an unknown policy', async () => {
  const missing = (config: string) => config.replaceAll('request-path', 'request-path-that-is-missing');
  await assert.rejects(startAlone(missing), /POLICY_NOT_FOUND/);
});

test('does not start if a pipeline names an undeclared policy', async () => {
  const undeclared = (config: string) => config.replace(/policies:\n {2}- request-path/, 'policies: [headers]');
  await assert.rejects(startAlone(undeclared), /POLICY_NOT_DECLARED/);
});

test('a policy that an operator adds runs before ours, and requests that Express cannot parse still get our errors', async () => {
  const cors = "cors: [{ action: { origin: 'https://shop.example' } }]";
  const { text, unread, origin, straight } = await startAlone((config) =>
    config
      .replace(/policies:\n {2}- request-path/, '$&\n  - cors')
      .replace('policies: [request-path: {}]', `policies: [${cors}, request-path: {}]`),
  );
  assert.deepEqual([text, unread, origin, straight], ['ours', 'ours', 'https://shop.example', false]);
});

test('no pipeline has a condition, and every pipeline runs the request path', async () => {
  const config = await readFile(join(configFolder, 'gateway.config.yml'), 'utf8');
  assert.doesNotMatch(config, /^\s*-?\s*condition:/m);
  assert.doesNotMatch(config, /^admin:/m);
  const pipelines = config.slice(config.indexOf('\npipelines:')).match(/^ {2}\w+:$/gm) ?? [];
  assert.equal(pipelines.length, 4);
  assert.equal(config.match(/policies: \[request-path: \{\}\]/g)?.length, pipelines.length);
  assert.doesNotMatch(await readFile(join(configFolder, 'system.config.yml'), 'utf8'), /^plugins:/m);
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

test('requests that match no pipeline, or that Express cannot parse, get our errors instead of Express pages', async (t) => {
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
    const answer = await rawRequest(url, `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const shown = `${method} ${target} → ${answer.text.slice(0, 300)}`;
    assert.equal(answer.status, status, shown);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', shown);
    const { success, error } = JSON.parse(answer.body);
    assert.deepEqual([success, error.code], [false, code], shown);
    assert.doesNotMatch(answer.text, /x-powered-by|<pre>|\bat .*\.(?:js|ts):\d+/i, shown);
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
