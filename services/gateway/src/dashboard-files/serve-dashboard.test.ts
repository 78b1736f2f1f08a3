import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestGateway } from '../../test/start-test-gateway.ts';

const browser = { headers: { accept: 'text/html,application/xhtml+xml' } };

test('the dashboard', async (t) => {
  const dashboardFolder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  t.after(() => rm(dashboardFolder, { recursive: true }));
  const { call } = await startTestGateway(t, { dashboardFolder });

  await t.test('explains how to build the dashboard if it is not built', async () => {
    const response = await call('/', browser);
    assert.equal(response.status, 404);
    assert.match(response.text, /npm run build/);
  });

  await mkdir(join(dashboardFolder, 'assets'));
  await writeFile(join(dashboardFolder, 'index.html'), '<!doctype html><title>dashboard</title>');
  await writeFile(join(dashboardFolder, 'assets', 'index-abc123.js'), 'export {}');
  await writeFile(join(dashboardFolder, 'favicon.svg'), '<svg/>');

  await t.test('serves its single page at every address a browser may open', async () => {
    for (const path of ['/', '/sign-in', '/settings/api-keys', '/contacts/contact_1']) {
      const response = await call(path, browser);
      assert.equal(response.status, 200, path);
      assert.match(response.text, /<title>dashboard/);
      assert.equal(response.headers.get('cache-control'), 'no-cache');
    }
  });

  await t.test('allows only its own scripts and styles, and no framing', async () => {
    const { headers } = await call('/', browser);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  await t.test('caches hashed files forever and revalidates the others', async () => {
    const script = await call('/assets/index-abc123.js');
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(script.headers.get('content-type') ?? '', /javascript/);
    assert.equal((await call('/favicon.svg')).headers.get('cache-control'), 'no-cache');
    assert.equal((await call('/assets/index-gone.js', browser)).status, 404);
  });

  await t.test('sends precompressed files to clients that accept them', async () => {
    await writeFile(join(dashboardFolder, 'assets', 'index-abc123.js.gz'), gzipSync('export {} // compressed'));
    const packed = await call('/assets/index-abc123.js', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.match(packed.text, /compressed/);
    const plain = await call('/assets/index-abc123.js', { headers: { 'accept-encoding': 'identity' } });
    assert.deepEqual([plain.headers.get('content-encoding'), plain.text], [null, 'export {}']);
  });

  await t.test('programs and other paths get an error instead of the page', async () => {
    assert.equal((await call('/settings/api-keys', { headers: { accept: 'application/json' } })).error.code, 'NOT_FOUND');
    for (const path of ['/oauth/nothing', '/.well-known/nothing', '/health/nothing', '/auth/nothing']) {
      const response = await call(path, browser);
      assert.deepEqual([response.status, response.error?.code], [404, 'NOT_FOUND'], path);
    }
    for (const path of ['//', '/%2e%2e/package.json', '/assets/..%2findex.html', '/a//b']) {
      assert.equal((await call(path, browser)).status, 404, path);
    }
    assert.equal((await call('/sign-in', { method: 'POST' })).status, 404);
  });
});

test('health and the OpenAPI document are public', async (t) => {
  const { call } = await startTestGateway(t);
  const document = await call('/openapi.json');
  assert.equal(document.status, 200);
  assert.equal(document.body.openapi, '3.1.0');
  assert.match(document.headers.get('x-request-id') ?? '', /^req_/);
});
