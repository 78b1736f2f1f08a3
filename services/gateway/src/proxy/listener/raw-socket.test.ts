import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RawResponse, rawExchange, rawRequest, rawResponses } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

/** Requests over a raw socket that Node and Express would otherwise respond to themselves. */
test('malformed requests', async (t) => {
  const { url, service, makeKey } = await startTestGateway(t);
  const key = await makeKey();
  const head = `host: x\r\nauthorization: ${key.authorization}\r\n`;
  const close = 'connection: close\r\n';

  const isFailure = (response: RawResponse, status: number, code: string) => {
    assert.equal(response.status, status, response.text.slice(0, 300));
    const { success, error } = JSON.parse(response.body);
    assert.equal(success, false);
    assert.equal(error.code, code);
    assert.equal(error.request_id, response.headers['x-request-id']);
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
    assert.doesNotMatch(response.text, /\bat .*\.(?:js|ts):\d+/, 'no stack');
  };

  await t.test('headers of 20 kB and of 100 kB', async () => {
    const big = (bytes: number) => `GET /v2/contacts HTTP/1.1\r\n${head}${close}x-big: ${'a'.repeat(bytes)}\r\n\r\n`;
    isFailure(await rawRequest(url, big(20_000)), 431, 'HEADERS_TOO_LARGE');
    const refused = await rawRequest(url, big(100_000));
    isFailure(refused, 431, 'HEADERS_TOO_LARGE');
    assert.equal(refused.headers.connection, 'close');
    const many = `GET /v2/contacts HTTP/1.1\r\n${head}${close}${'a: b\r\n'.repeat(3_000)}\r\n`;
    isFailure(await rawRequest(url, many), 431, 'HEADERS_TOO_LARGE');
  });

  await t.test('a URL of 20 kB and of 100 kB', async () => {
    const long = (bytes: number) => `GET /v2/contacts?q=${'a'.repeat(bytes)} HTTP/1.1\r\n${head}${close}\r\n`;
    isFailure(await rawRequest(url, long(20_000)), 414, 'URI_TOO_LONG');
    isFailure(await rawRequest(url, long(100_000)), 414, 'URI_TOO_LONG');
  });

  await t.test('%zz anywhere, with and without a credential', async () => {
    const get = (target: string, more = head) => rawRequest(url, `GET ${target} HTTP/1.1\r\n${more}${close}\r\n`);
    isFailure(await get('/v2/contacts/%zz'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/%zz'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/contacts?a=%'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/contacts/%c3%28'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/contacts/%zz', 'host: x\r\n'), 401, 'UNAUTHORIZED');
    isFailure(await get('/%zz', 'host: x\r\n'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/contacts#part'), 400, 'VALIDATION_ERROR');
    isFailure(await get('/v2/contacts?q=\xff'), 400, 'VALIDATION_ERROR');
  });

  await t.test('bytes that are not HTTP', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      `GET /v2/contacts HTTP/9.9\r\n${head}\r\n`,
      `GET /v2/contacts HTTP/1.1\r\n${head}bad header\r\n\r\n`,
      `GET /v2/contacts HTTP/1.1\r\n${head}x: a\0b\r\n\r\n`,
      `FLY /v2/contacts HTTP/1.1\r\n${head}\r\n`,
      `CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`,
    ]) {
      const response = await rawRequest(url, bytes);
      isFailure(response, 400, 'VALIDATION_ERROR');
      assert.equal(response.headers.connection, 'close');
    }
    isFailure(
      await rawRequest(url, `GET /v2/contacts HTTP/1.1\r\nauthorization: ${key.authorization}\r\n${close}\r\n`),
      400,
      'VALIDATION_ERROR',
    );
  });

  await t.test('rejects an ambiguous length and parses nothing after it as a request', async () => {
    const smuggled = 'GET /v2/contacts/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
    const before = service.seen.length;
    for (const framing of [
      'content-length: 4\r\ntransfer-encoding: chunked\r\n',
      'transfer-encoding: chunked\r\ncontent-length: 4\r\n',
      'content-length: 4\r\ncontent-length: 5\r\n',
      'content-length: 4, 5\r\n',
      'content-length: +4\r\n',
      'content-length: 0x4\r\n',
      'content-length: -1\r\n',
      'transfer-encoding: xchunked\r\n',
      'transfer-encoding: chunked, identity\r\n',
      'transfer-encoding : chunked\r\n',
      'transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n',
    ]) {
      const text = await rawExchange(url, `POST /v2/contacts HTTP/1.1\r\n${head}${framing}\r\n0\r\n\r\n${smuggled}`);
      const responses = rawResponses(text);
      assert.equal(responses.length, 1, framing);
      assert.equal(responses[0]?.status, 400, framing);
      isFailure(responses[0], 400, 'VALIDATION_ERROR');
    }
    assert.equal(service.seen.length, before);
  });

  await t.test('parses chunk sizes and line ends strictly', async () => {
    const before = service.seen.filter(({ target }) => target.includes('smuggled')).length;
    for (const body of ['4\n\nabcd\r\n0\r\n\r\n', '0x4\r\nabcd\r\n0\r\n\r\n', '4;a=\n\r\nabcd\r\n0\r\n\r\n', '-1\r\n\r\n']) {
      const request = `POST /v2/contacts HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\n${body}`;
      const responses = rawResponses(await rawExchange(url, `${request}GET /v2/contacts/smuggled HTTP/1.1\r\n${head}${close}\r\n`));
      assert.ok(responses.length <= 1, body);
    }
    assert.equal(service.seen.filter(({ target }) => target.includes('smuggled')).length, before);
  });

  await t.test('responds to pipelined requests in order', async () => {
    const text = await rawExchange(
      url,
      `GET /v2/contacts/a HTTP/1.1\r\n${head}\r\n` +
        'GET /v2/contacts/b HTTP/1.1\r\nhost: x\r\n\r\n' +
        `POST /v2/contacts HTTP/1.1\r\n${head}content-length: 2\r\n\r\n{}` +
        `GET /v2/contacts/d HTTP/1.1\r\n${head}${close}\r\n`,
    );
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['200', '401', '200', '200']);
    assert.ok(text.indexOf('/contacts/a') < text.indexOf('UNAUTHORIZED'));
  });

  await t.test('accepts a request that arrives byte by byte', async () => {
    const bytes = `GET /v2/contacts/slow HTTP/1.1\r\n${head}${close}\r\n`;
    assert.equal((await rawRequest(url, [...bytes])).status, 200);
    assert.equal(service.last()?.target, '/v2/contacts/slow');
  });

  await t.test('accepts an absolute URL as the target', async () => {
    const response = await rawRequest(url, `GET http://elsewhere.example/v2/contacts/abs?x=1 HTTP/1.1\r\n${head}${close}\r\n`);
    assert.equal(response.status, 200);
    assert.equal(service.last()?.target, '/v2/contacts/abs?x=1');
    isFailure(await rawRequest(url, `OPTIONS * HTTP/1.1\r\n${head}${close}\r\n`), 404, 'NOT_FOUND');
  });

  await t.test('sends 100 Continue only when it needs the body, and never before a rejection', async () => {
    const post = (more: string) =>
      rawExchange(url, [`POST /v2/contacts HTTP/1.1\r\n${more}expect: 100-continue\r\ncontent-length: 2\r\n${close}\r\n`, '{}']);
    assert.match(await post(head), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    assert.match(await post('host: x\r\n'), /^HTTP\/1\.1 401 /);
  });

  await t.test('reads the rest of a rejected body, so that the client gets the response and can reuse the connection', async () => {
    const text = await rawExchange(url, [
      `POST /v2/contacts HTTP/1.1\r\n${head}content-length: 1100000\r\n\r\n`,
      'x'.repeat(1_100_000),
      `GET /v2/contacts/after HTTP/1.1\r\n${head}${close}\r\n`,
    ]);
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['413', '200'],
    );
  });

  await t.test('forwards invalid JSON, so that the service reports the fault', async () => {
    await rawRequest(url, `POST /v2/contacts HTTP/1.1\r\n${head}${close}content-type: application/json\r\ncontent-length: 5\r\n\r\n{"a":`);
    assert.equal(service.last()?.body, '{"a":');
  });
});
