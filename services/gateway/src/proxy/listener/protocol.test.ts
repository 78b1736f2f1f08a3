import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { rawExchange, rawRequest } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('HTTP semantics', async (t) => {
  const { url, call, send, makeKey, service } = await startTestGateway(t, { publicUrl: 'https://platform.example' });
  const key = await makeKey();
  const raw = (line: string, fields: readonly string[], body = '') =>
    rawRequest(url, [`${line} HTTP/1.1`, ...fields, 'connection: close', '', body].join('\r\n'));
  const authorization = `authorization: ${key.authorization}`;

  await t.test('rejects two Host headers, equal or not', async () => {
    for (const [line, fields] of [
      ['GET /v2/contacts', [authorization]],
      ['GET /health/live', []],
      ['GET /t/x', []],
    ] as const) {
      for (const other of ['host: a', 'Host: b']) {
        const response = await raw(line, ['host: a', ...fields, other]);
        assert.deepEqual([response.status, JSON.parse(response.body).error.details[0].path], [400, '/headers/host'], line);
      }
      assert.equal((await raw(line, ['host: a', ...fields])).status, 200, line);
    }
    assert.equal(service.seen.length, 2);
  });

  await t.test('supports 100-continue and rejects any other expectation with 417', async () => {
    const fields = ['host: x', 'content-type: application/json', 'content-length: 2'];
    for (const expect of ['200-ok', '100-continue, 200-ok', 'x-100-continue', '']) {
      const response = await raw('POST /v2/contacts', [...fields, authorization, `expect: ${expect}`], '{}');
      assert.deepEqual([response.status, JSON.parse(response.body).error.code], [417, 'EXPECTATION_FAILED'], expect);
    }
    assert.equal((await raw('POST /v2/contacts', [...fields, 'expect: 200-ok'], '{}')).status, 401, 'authentication comes first');
    const head = ['POST /v2/contacts HTTP/1.1', ...fields, authorization, 'Expect: 100-Continue', 'connection: close', '', '{}'];
    assert.match(await rawExchange(url, head.join('\r\n')), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    const old = ['POST /v2/contacts HTTP/1.0', ...fields, authorization, 'expect: 100-continue', '', '{}'];
    assert.match(await rawExchange(url, old.join('\r\n')), /^HTTP\/1.1 200 /, 'HTTP/1.0 has no expectations');
  });

  await t.test('nosniff is on every response', async () => {
    const token = new URLSearchParams({ grant_type: 'client_credentials' });
    for (const response of [
      await call('/v2/me', { key }),
      await call('/v2/contacts', { key }),
      await call('/v2/nothing', { key }),
      await call('/v2/contacts'),
      await call('/health/live'),
      await call('/openapi.json'),
      await call('/t/x'),
      await call('/'),
      await call('/nothing'),
      await call('/auth/session'),
      await call('/oauth/token', { method: 'POST', body: token }),
      await call('/.well-known/oauth-authorization-server'),
    ]) {
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff', response.text.slice(0, 200));
    }
    assert.equal((await rawRequest(url, 'nonsense\r\n\r\n')).headers['x-content-type-options'], 'nosniff');
  });

  await t.test('Allow lists the methods of a path; an unknown path is 404', async () => {
    for (const [path, allow] of [
      ['/auth/sign-in', 'POST'],
      ['/auth/sign-out', 'POST'],
      ['/auth/session', 'GET, HEAD, POST'],
      ['/auth/email', 'POST'],
      ['/auth/sessions/revoke', 'POST'],
      ['/oauth/token', 'POST'],
      ['/health/live', 'GET, HEAD'],
      ['/openapi.json', 'GET, HEAD'],
      ['/reference', 'GET, HEAD'],
      ['/t/x', 'GET, HEAD, POST'],
    ] as const) {
      const response = await call(path, { method: 'DELETE' });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, allow], path);
      for (const method of allow.split(', ')) assert.notEqual((await call(path, { method })).status, 405, `${method} ${path}`);
    }
    for (const path of [
      '/auth/nothing',
      '/auth',
      '/health/nothing',
      '/oauth/nothing',
      '/.well-known/nothing',
      '/reference/nothing',
      '/t/a/b/c',
    ]) {
      // The service decides what exists below /t; the fake one responds to everything.
      const methods = path.startsWith('/t/') ? ['DELETE'] : ['GET', 'POST', 'DELETE'];
      for (const method of methods) assert.equal((await call(path, { method })).status, 404, `${method} ${path}`);
    }
  });

  await t.test('health checks respond, whatever the request contains', async () => {
    assert.deepEqual([(await call('/health/live')).status, (await call('/health/ready', { method: 'HEAD' })).status], [200, 200]);
    const given = await call('/health/ready', { headers: { 'x-request-id': 'given-by-the-probe' } });
    assert.deepEqual([given.text, given.headers.get('x-request-id')], ['{"status":"ok"}', 'given-by-the-probe']);
    assert.equal((await raw('GET /health/live', ['host: x', 'content-length: 10'], 'unfinished')).status, 200);
  });

  await t.test('an error_description has only characters that RFC 6749 allows', async () => {
    const form = (body: string) =>
      call('/oauth/token', { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    for (const name of ['a"b', 'a\\b', 'ü', '\n', '\u{1f600}'.repeat(30)]) {
      const { body } = await form(`${encodeURIComponent(name)}=1&${encodeURIComponent(name)}=2`);
      assert.equal(body.error, 'invalid_request');
      assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    }
    assert.match((await send('POST', '/oauth/token', {})).body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});

test('a client may take at most 20 seconds to send its headers', async (t) => {
  const intervals: unknown[] = [];
  const { createServer } = http;
  const noted = t.mock.method(http, 'createServer', (options: http.ServerOptions, listener?: http.RequestListener) => {
    if (typeof options !== 'function' && options?.connectionsCheckingInterval !== undefined)
      intervals.push(options.connectionsCheckingInterval);
    return createServer(options, listener);
  });
  const { gateway } = await startTestGateway(t);
  noted.mock.restore();
  assert.ok(gateway.front);
  assert.deepEqual(intervals, [3_000]);
  assert.equal(http.createServer, createServer, 'http.createServer is restored');
});
