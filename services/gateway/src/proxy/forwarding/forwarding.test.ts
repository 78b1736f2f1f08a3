import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { contextHeader, verifyContext } from '@mp/contracts/context';
import { eventually } from '@mp/test-kit/eventually';
import { contextKeys } from '@mp/test-kit/test-parts';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { maxConnections } from './upstreams.ts';

test('forwarding', async (t) => {
  const gateway = await startTestGateway(t);
  const { call, makeKey, service, url } = gateway;
  const key = await makeKey({ permission: 'read_write', scopes: ['contacts:read', 'contacts:write'] });
  const ok = () => service.behave((_req, res, { body }) => res.writeHead(200).end(body || '{"ok":true}'));

  await t.test('signs the identity of the caller, for exactly this request', async () => {
    const response = await call('/v2/contacts/contact_1?include=a%20b&x=1', { key });
    const seen = service.last();
    assert.equal(seen?.target, '/v2/contacts/contact_1?include=a%20b&x=1');
    const context = verifyContext(contextKeys, seen.headers[contextHeader], { method: 'GET', path: seen.target, now: Date.now() });
    assert.ok(context);
    assert.equal(context.account_id, key.account.id);
    assert.equal(context.principal_id, key.key.id);
    assert.equal(context.permission, 'read_write');
    assert.deepEqual(context.scopes, ['contacts:read', 'contacts:write']);
    assert.equal(context.request_id, response.headers.get('x-request-id'));
    assert.equal(seen.headers['x-request-id'], context.request_id);
    assert.equal(
      verifyContext(contextKeys, seen.headers[contextHeader], { method: 'DELETE', path: seen.target, now: Date.now() }),
      undefined,
    );
  });

  await t.test('tells services the public URL for links, whatever the client claims', async () => {
    await call('/v2/contacts/contact_1', { key, headers: { 'x-mp-public-url': 'https://attacker.example' } });
    assert.equal(service.last()?.headers['x-mp-public-url'], 'http://localhost:8080');
  });

  await t.test('sends the headers that the operator configured on every response, from any part', async (t) => {
    const secured = await startTestGateway(t, { headers: { 'strict-transport-security': 'max-age=300' } });
    const known = await secured.makeKey({});
    const responses = [secured.call('/v2/contacts', { key: known }), secured.call('/v2/contacts'), secured.call('/health/live')];
    for (const { status, headers } of await Promise.all(responses))
      assert.equal(headers.get('strict-transport-security'), 'max-age=300', String(status));
    const unparsed = await rawExchange(secured.url, 'GET / HTTP/9\r\n\r\n');
    assert.match(unparsed, /^HTTP\/1\.1 400 .*strict-transport-security: max-age=300/is);
    assert.match(unparsed, /"doc_url":"http:\/\/localhost:8080\/reference\/errors#VALIDATION_ERROR"/);
  });

  await t.test('forwards a request whose body takes longer than a signature is valid', async (t) => {
    const { now } = Date;
    const { hostname, port } = new URL(url);
    const client = connect(Number(port), hostname);
    client.write(
      `POST /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{`,
    );
    const [word] = await once(client, 'data');
    assert.match(String(word), /^HTTP\/1.1 100 /, '100 Continue comes after all checks except those of the body');
    t.mock.method(Date, 'now', () => now() + 70_000);
    client.write('}');
    const [response] = await once(client, 'data');
    assert.match(String(response), /^HTTP\/1.1 200 /);
    assert.ok(
      verifyContext(contextKeys, service.last()?.headers[contextHeader], { method: 'POST', path: '/v2/contacts', now: Date.now() }),
    );
  });

  await t.test('neither forged headers nor the credential reach a service', async () => {
    await call('/v2/contacts', {
      key,
      headers: {
        'x-mp-context': 'forged',
        'x-mp-account': 'account_2',
        'x-forwarded-for': '192.0.2.66',
        'x-forwarded-host': 'evil.example',
        forwarded: 'for=192.0.2.66',
        'x-real-ip': '192.0.2.66',
        'eg-consumer-id': 'admin',
        'x-account-id': 'account_2',
        cookie: 'mp_session=stolen',
        'proxy-authorization': 'Basic x',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'vendor=1',
        'idempotency-key': 'abc',
      },
    });
    const headers = service.last()?.headers ?? {};
    assert.deepEqual(Object.keys(headers).toSorted(), [
      'accept',
      'accept-encoding',
      'accept-language',
      'connection',
      'host',
      'idempotency-key',
      'traceparent',
      'tracestate',
      'user-agent',
      'x-forwarded-for',
      contextHeader,
      'x-mp-public-url',
      'x-request-id',
    ]);
    assert.equal(headers['x-forwarded-for'], '127.0.0.1');
    assert.notEqual(headers[contextHeader], 'forged');
  });

  await t.test('does not forward an invalid traceparent', async () => {
    for (const traceparent of [
      'nonsense',
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ]) {
      await call('/v2/contacts', { key, headers: { traceparent, tracestate: 'a=1' } });
      assert.equal(service.last()?.headers.traceparent, undefined);
      assert.equal(service.last()?.headers.tracestate, undefined);
    }
  });

  await t.test('forwards bodies unchanged, buffered or streamed', async () => {
    ok();
    const post = (body: string | ReadableStream, more: object = {}) =>
      call('/v2/contacts/batch', { key, method: 'POST', body, headers: { 'content-type': 'application/json' }, ...more });
    for (const text of ['{"a":"ü"}', '{broken', '', 'x'.repeat(70_000), 'y'.repeat(2_000_000)]) {
      assert.equal((await post(text)).text, text || '{"ok":true}');
    }
    const stream = new Blob(['chunked ', 'body']).stream();
    assert.equal((await post(stream, { duplex: 'half' })).text, 'chunked body');
  });

  await t.test('counts a body without a length, and aborts it at the limit', async () => {
    const pieces = Array.from({ length: 20 }, () => 'z'.repeat(65_536));
    const body = new Blob(pieces).stream();
    const response = await call('/v2/contacts', { key, method: 'POST', body, duplex: 'half' } as RequestInit & { key: typeof key });
    assert.equal(response.status, 413);
    assert.equal(response.error.code, 'PAYLOAD_TOO_LARGE');
  });

  await t.test('relays status and headers, except hop-by-hop headers', async () => {
    service.behave((_req, res) => {
      res.writeHead(201, {
        location: '/v2/contacts/contact_9',
        etag: '"1"',
        connection: 'x-private',
        'x-private': '1',
        'x-powered-by': 'us',
        'keep-alive': 'timeout=1',
        'x-request-id': 'another-one',
      });
      res.end('{}');
    });
    const response = await call('/v2/contacts', { key, method: 'POST' });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('location'), '/v2/contacts/contact_9');
    assert.equal(response.headers.get('etag'), '"1"');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    for (const name of ['x-private', 'x-powered-by']) assert.equal(response.headers.get(name), null);
    assert.notEqual(response.headers.get('x-request-id'), 'another-one');
  });

  await t.test('forwards HEAD as HEAD and relays the headers', async () => {
    service.behave((_req, res) => res.writeHead(200, { 'content-length': 42, etag: '"7"' }).end());
    const response = await call('/v2/contacts/contact_1', { key, method: 'HEAD' });
    assert.equal(service.last()?.method, 'HEAD');
    assert.deepEqual([response.status, response.headers.get('content-length'), response.text], [200, '42', '']);
  });

  await t.test('504 if the service does not begin to respond in time', async (t) => {
    const impatient = await startTestGateway(t, { parts: gateway.parts, timeouts: { headersMs: 200 } });
    impatient.service.behave(() => undefined);
    const response = await impatient.call('/v2/contacts', { key, method: 'POST' });
    assert.deepEqual([response.status, response.error.code], [504, 'UPSTREAM_TIMEOUT']);
  });

  await t.test('requests of one account that time out, or whose responses end early, cost no other account a 503', async (t) => {
    const impatient = await startTestGateway(t, { parts: gateway.parts, timeouts: { headersMs: 200 } });
    const other = await makeKey();
    impatient.service.behave((req, res) => {
      if (req.url?.includes('hangs')) return;
      if (req.url?.includes('breaks')) return void res.writeHead(200, { 'content-length': 9 }).write('{', () => res.destroy());
      res.writeHead(200).end('{}');
    });
    const slow = await Promise.all(Array.from({ length: 20 }, () => impatient.call('/v2/contacts/hangs', { key })));
    assert.deepEqual(new Set(slow.map(({ status }) => status)), new Set([504]));
    for (let index = 0; index < 12; index += 1) await assert.rejects(impatient.call('/v2/contacts/breaks', { key }));
    assert.equal((await impatient.call('/v2/contacts', { key: other })).status, 200);
  });

  await t.test('slow requests of one account, however many, do not delay those of another', async () => {
    const busy = await makeKey({ plan: 'professional' });
    const other = await makeKey();
    const held = new Set<ServerResponse>();
    service.behave((req, res) => {
      if (req.url?.includes('hangs')) held.add(res);
      else res.writeHead(200).end('{}');
    });
    const slow = Array.from({ length: 200 }, () => call('/v2/contacts/hangs', { key: busy }));
    await eventually(async () => held.size >= maxConnections / 2);
    assert.equal((await call('/v2/contacts', { key: other })).status, 200);
    service.behave((_req, res) => res.writeHead(200).end('{}'));
    for (const res of held) res.writeHead(200).end('{}');
    assert.deepEqual(new Set((await Promise.all(slow)).map(({ status }) => status)), new Set([200]));
  });

  await t.test('after a reset, retries a read once and a write never', async () => {
    let resets = 1;
    service.behave((_req, res) => (resets-- > 0 ? res.destroy() : res.writeHead(200).end('{}')));
    assert.equal((await call('/v2/contacts', { key })).status, 200);
    resets = 2;
    const twice = await call('/v2/contacts', { key });
    assert.deepEqual([twice.status, twice.error.code], [502, 'UPSTREAM_ERROR']);
    resets = 1;
    const before = service.seen.length;
    assert.equal((await call('/v2/contacts', { key, method: 'POST', body: '{}' })).status, 502);
    assert.equal(service.seen.length, before + 1);
  });

  await t.test('a service that rejects our signature is a 502, not a 401', async () => {
    service.behave((_req, res) => res.writeHead(401).end('{}'));
    const response = await call('/v2/contacts', { key });
    assert.deepEqual([response.status, response.error.code], [502, 'UPSTREAM_ERROR']);
  });

  await t.test('an incomplete response closes the connection instead of looking complete', async () => {
    const get = `GET /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\n\r\n`;
    service.behave((_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.destroy());
    });
    const counted = await rawExchange(url, get);
    assert.match(counted, /content-length: 100\r\n[\s\S]*half$/);
    service.behave((_req, res) => {
      res.writeHead(200);
      res.write('half', () => res.destroy());
    });
    const chunked = await rawExchange(url, get);
    assert.match(chunked, /half/);
    assert.doesNotMatch(chunked, /\r\n0\r\n\r\n$/);
    await assert.rejects(call('/v2/contacts', { key }));
  });

  await t.test('a client that disconnects aborts the request to the service', async () => {
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    service.behave((req, _res) => {
      req.socket.once('close', ended.resolve);
      begun.resolve();
    });
    const leaving = new AbortController();
    const pending = call('/v2/contacts', { key, method: 'POST', signal: leaving.signal }).catch(() => undefined);
    await begun.promise;
    leaving.abort();
    await Promise.all([pending, ended.promise]);
  });

  await t.test('retries once if no connection can be opened, including for writes', async () => {
    ok();
    await service.close();
    const pending = call('/v2/contacts', { key, method: 'POST', body: '{"again":true}' });
    await service.open();
    assert.equal((await pending).text, '{"again":true}');
  });

  await t.test('503 while the service is unavailable, immediately after ten failures, and recovers automatically', async () => {
    await service.close();
    for (let index = 0; index < 12; index += 1) {
      const response = await call('/v2/contacts', { key });
      assert.deepEqual([response.status, response.error.code], [503, 'SERVICE_UNAVAILABLE']);
      assert.ok(Number(response.headers.get('retry-after')) >= 1);
    }
    await service.open();
    await eventually(async () => (await call('/v2/contacts', { key })).status === 200);
  });
});
