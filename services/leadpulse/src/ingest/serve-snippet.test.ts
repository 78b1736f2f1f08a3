import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';

const maxBytes = 3_000;

test('the snippet is at most 3 kB, and its versioned URL is immutable and has the hash that the site names', async (t) => {
  const { app } = await testService(t, await testParts(t, 'leadpulse'), buildApp);
  const { data: site } = await testClient(app).post('/v2/leadpulse/sites', { name: 'Shop', origins: ['https://shop.example.com'] });
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

  const versioned = await get(site.snippet.path, { 'accept-encoding': 'gzip, br' });
  assert.equal(versioned.statusCode, 200);
  assert.ok(versioned.rawPayload.length <= maxBytes, `${versioned.rawPayload.length} bytes`);
  assert.match(String(versioned.headers['cache-control']), /immutable/);
  assert.equal(versioned.headers['access-control-allow-origin'], '*');
  const code = gunzipSync(versioned.rawPayload);
  assert.equal(site.snippet.integrity, `sha384-${createHash('sha384').update(code).digest('base64')}`);
  assert.doesNotMatch(code.toString(), /\beval\b|new Function|document\.write|innerHTML/);

  const latest = await get('/ingest/v1/mp.js');
  assert.deepEqual(latest.rawPayload, code);
  assert.doesNotMatch(String(latest.headers['cache-control']), /immutable/);
  assert.equal((await get('/ingest/v1/mp.js', { 'if-none-match': String(latest.headers.etag) })).statusCode, 304);
  for (const url of ['/ingest/v1/mp-9.9.9.js', '/ingest/v1/package.json']) assert.equal((await get(url)).statusCode, 404);
});
