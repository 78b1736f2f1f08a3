import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawRequest } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { newSecret } from '../../credentials/token-format.ts';

/** Every row of api.md's error table that the gateway itself produces, through a real socket. */
test('errors of the gateway', async (t) => {
  const gateway = await startTestGateway(t, { services: { contacts: 'http://127.0.0.1:9' } });
  const { call, makeKey, url } = gateway;
  const admin = await makeKey();

  const is = (response: Awaited<ReturnType<typeof call>>, status: number, code: string) => {
    assert.equal(response.status, status, response.text);
    assert.equal(response.body.success, false);
    assert.equal(response.error.code, code);
    assert.ok(response.error.message.length > 10);
    assert.equal(response.error.request_id, response.headers.get('x-request-id'));
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  };

  await t.test('401 without a credential on every path under /v2, known or not, for every method', async () => {
    for (const path of [
      '/v2',
      '/v2/',
      '/v2/contacts',
      '/v2/nothing',
      '/v2/settings/api-keys',
      '/v2//contacts',
      '/V2/contacts',
      '/v2/%zz',
      '/v2?x',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const response = await call(path, { method });
        is(response, 401, 'UNAUTHORIZED');
        assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="marketing-platform"');
      }
    }
  });

  await t.test('a preflight is 401 without CORS headers, and says where to call the API from', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    const response = await call('/v2/contacts', { method: 'OPTIONS', headers });
    is(response, 401, 'UNAUTHORIZED');
    assert.match(response.error.message, /call it from your server/);
    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    );
  });

  await t.test('404 outside /v2 says that the API is under /v2, and names the nearest path, with or without a key', async () => {
    for (const [method, path, meant] of [
      ['GET', '/v1/contacts', '/v2/contacts'],
      ['POST', '/api/contacts', '/v2/contacts'],
      ['GET', '/api/v1/contacts/contact_1', '/v2/contacts/contact_1'],
      ['DELETE', '/contact/', '/v2/contacts'],
      ['GET', '/v3/Setings/api-keys', '/v2/settings/api-keys'],
    ] as const) {
      for (const key of [admin, undefined]) {
        const response = await call(path, { method, key, headers: { accept: 'application/json, text/html' } });
        is(response, 404, 'NOT_FOUND');
        assert.equal(
          response.error.message,
          `The API has no path "${path}"; it is under /v2. Did you mean ${meant}? /reference lists all paths.`,
        );
      }
    }
    const unlike = await call('/api/zzzzzzzzzz', { key: admin });
    assert.equal(unlike.error.message, 'The API has no path "/api/zzzzzzzzzz"; it is under /v2. /reference lists all paths.');
    const under = await call('/v2/contact', { key: admin });
    assert.equal(under.error.message, 'The API has no path "/v2/contact". Did you mean /v2/contacts? /reference lists all paths.');
  });

  await t.test('401 invalid_token: an unknown and an expired key get the same response, a malformed one an explanation', async () => {
    const expired = await makeKey({ expires_at: new Date(Date.now() - 1_000) });
    const mistyped = `${admin.text.slice(0, -1)}${admin.text.endsWith('x') ? 'y' : 'x'}`;
    const invalid = /^The API key or access token is invalid: unknown, revoked or expired\.$/;
    for (const [authorization, message] of [
      [expired.authorization, invalid],
      [`Bearer ${newSecret('key')}`, invalid],
      [`Bearer ${mistyped}`, /^The API key is malformed/],
      [`Bearer ${admin.text.slice(0, -5)}`, /^The API key is malformed/],
      [`Bearer ${newSecret('clientSecret')}`, /client secret/],
      ['Bearer', /Only the Bearer scheme/],
      ['Bearer a b', /Only the Bearer scheme/],
      [`Basic ${btoa('a:b')}`, /Only the Bearer scheme/],
      [admin.text, /The word Bearer is missing/],
      ['', /Only the Bearer scheme/],
    ] as const) {
      const response = await call('/v2/contacts', { headers: { authorization } });
      is(response, 401, 'UNAUTHORIZED');
      assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="marketing-platform", error="invalid_token"');
      assert.match(response.error.message, message);
    }
  });

  await t.test('distinguishes an unknown path from an unknown ID, and links the page that explains the code', async () => {
    const { authorization } = admin;
    const path = await call('/v2/contact', { headers: { authorization } });
    is(path, 404, 'NOT_FOUND');
    assert.match(path.error.message, /^The API has no path "\/v2\/contact"\./);
    assert.equal(path.error.doc_url, 'http://localhost:8080/reference/errors#NOT_FOUND');
    const page = await call('/reference/errors');
    assert.equal(page.status, 200);
    assert.match(page.text, /<section id="NOT_FOUND">/);
  });

  await t.test('never reads a key from the query', async () => {
    is(await call(`/v2/contacts?api_key=${admin.text}&access_token=${admin.text}`), 401, 'UNAUTHORIZED');
  });

  await t.test('403 FORBIDDEN by method, by scope, and for settings, before any lookup', async () => {
    const reader = await makeKey({ permission: 'read_only' });
    const writer = await makeKey({ permission: 'read_write' });
    const narrow = await makeKey({ permission: 'read_write', scopes: ['segments:read', 'contacts:read'] });
    for (const [key, method, path, scope] of [
      [reader, 'POST', '/v2/contacts', 'contacts:write'],
      [reader, 'DELETE', '/v2/contacts/no-such-contact', 'contacts:write'],
      [writer, 'GET', '/v2/settings/api-keys', 'settings:read'],
      [writer, 'POST', '/v2/settings/api-keys', 'settings:keys'],
      [narrow, 'PUT', '/v2/contacts/contact_1', 'contacts:write'],
    ] as const) {
      const response = await call(path, { key, method });
      is(response, 403, 'FORBIDDEN');
      const expected = `Bearer realm="marketing-platform", error="insufficient_scope", scope="${scope}"`;
      assert.equal(response.headers.get('www-authenticate'), expected);
    }
  });

  await t.test('403 ACCOUNT_SUSPENDED and IP_NOT_ALLOWED', async () => {
    const account = await gateway.makeAccount();
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
      gateway.stores.accounts.update(tx, account.id, { status: 'suspended' }),
    );
    is(await call('/v2/contacts', { key: await makeKey({ account }) }), 403, 'ACCOUNT_SUSPENDED');
    is(await call('/v2/contacts', { key: await makeKey({ ip_allow: ['192.0.2.0/24', '2001:db8::/32'] }) }), 403, 'IP_NOT_ALLOWED');
    const here = await makeKey({ ip_allow: ['127.0.0.0/8'] });
    assert.equal((await call('/v2/me', { key: here })).status, 200);
  });

  await t.test('404 for every path that is not in the route table in this exact spelling', async () => {
    for (const path of [
      '/v2',
      '/v2/nothing',
      '/v2/Contacts',
      '/V2/contacts',
      '/v2/contacts/',
      '/v2//contacts',
      '//v2/contacts',
      '/v2/contacts/a%2Fb',
    ]) {
      is(await call(path, { key: admin }), 404, 'NOT_FOUND');
    }
    for (const path of ['/v2/contacts/..', '/v2/./contacts', '/v2/contacts/../contacts', '/health/../v2/contacts']) {
      const response = await rawRequest(
        url,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${admin.authorization}\r\nconnection: close\r\n\r\n`,
      );
      assert.equal(response.status, 404, path);
    }
  });

  await t.test('405 with Allow', async () => {
    const response = await call('/v2/contacts/contact_1', { key: admin, method: 'PATCH' });
    is(response, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(response.headers.get('allow'), 'DELETE, GET, HEAD, PUT');
    is(await call('/v2/contacts', { key: admin, method: 'OPTIONS' }), 405, 'METHOD_NOT_ALLOWED');
  });

  await t.test('400 for a malformed %, after authentication', async () => {
    const response = await rawRequest(
      url,
      `GET /v2/contacts/%zz HTTP/1.1\r\nhost: x\r\nauthorization: ${admin.authorization}\r\nconnection: close\r\n\r\n`,
    );
    assert.equal(response.status, 400);
    assert.equal(JSON.parse(response.body).error.details[0].code, 'invalid_format');
  });

  await t.test('413, 414 and 431', async () => {
    const body = Buffer.alloc(1_048_577, 32);
    is(await call('/v2/contacts', { key: admin, method: 'POST', body }), 413, 'PAYLOAD_TOO_LARGE');
    is(await call(`/v2/contacts?q=${'a'.repeat(20_000)}`, { key: admin }), 414, 'URI_TOO_LONG');
    is(await call(`/v2/${'a'.repeat(20_000)}`, { key: admin }), 414, 'URI_TOO_LONG');
    is(await call(`/${'a'.repeat(20_000)}`), 414, 'URI_TOO_LONG');
    is(await call('/v2/contacts', { key: admin, headers: { 'x-big': 'a'.repeat(20_000) } }), 431, 'HEADERS_TOO_LARGE');
    is(await call('/v2/contacts', { headers: { 'x-big': 'a'.repeat(20_000) } }), 401, 'UNAUTHORIZED');
  });

  await t.test('503 with Retry-After while a service is unavailable', async () => {
    const response = await call('/v2/contacts', { key: admin });
    is(response, 503, 'SERVICE_UNAVAILABLE');
    assert.equal(response.headers.get('retry-after'), '2');
  });

  await t.test('HEAD returns the same without a body', async () => {
    const response = await call('/v2/nothing', { key: admin, method: 'HEAD' });
    assert.equal(response.status, 404);
    assert.equal(response.text, '');
    assert.ok(Number(response.headers.get('content-length')) > 0);
  });

  await t.test('keeps a valid X-Request-Id and replaces any other', async () => {
    const id = async (given: string) =>
      (await call('/v2/me', { key: admin, headers: { 'x-request-id': given } })).headers.get('x-request-id');
    assert.equal(await id('my-request_1'), 'my-request_1');
    for (const bad of ['short', 'a'.repeat(65), 'has spaces in it', 'quote"quote']) assert.match((await id(bad)) ?? '', /^req_/);
  });
});
