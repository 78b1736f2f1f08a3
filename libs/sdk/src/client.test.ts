import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sdkVersion } from './client.ts';
import { ConflictError, ConnectionError, MarketingPlatform, RateLimitError, ServerError, TimeoutError, ValidationError } from './sdk.ts';

type Seen = { method: string; url: URL; headers: Headers; body: string };
type Reply = Response | Error | 'never';

const ok = (data: unknown) => Response.json({ success: true, data });
const failed = (status: number, code: string, headers: Record<string, string> = {}, error: object = {}) =>
  Response.json({ success: false, error: { code, message: `It is ${code}.`, request_id: 'req_1', ...error } }, { status, headers });

/** A platform that sends these replies, one per request. */
function platformWith(...replies: Reply[]) {
  const seen: Seen[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    seen.push({ method: request.method, url: new URL(request.url), headers: request.headers, body: await request.text() });
    const reply = replies[seen.length - 1];
    if (reply instanceof Response) return reply;
    if (reply instanceof Error) throw reply;
    init?.signal?.throwIfAborted();
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  };
  return { seen, mp: new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com/', fetch }) };
}

test('a write is retried after a 429, a 503 and a broken connection, with the same Idempotency-Key', async () => {
  const { mp, seen } = platformWith(
    failed(429, 'RATE_LIMITED', { 'retry-after': '0' }),
    failed(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
    new TypeError('fetch failed'),
    ok({ id: 'contact_1' }),
  );
  const { id } = await mp.contacts.create({ email: 'ada@example.com' });
  assert.equal(id, 'contact_1');
  assert.equal(seen.length, 4);
  const keys = new Set(seen.map(({ headers }) => headers.get('idempotency-key')));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual(new Set(seen.map(({ body }) => body)), new Set(['{"email":"ada@example.com"}']));
});

test('two calls have different keys, a key that is passed is used, and a read sends none', async () => {
  const { mp, seen } = platformWith(ok({}), ok({}), ok({}), ok({}));
  await mp.contacts.create({ email: 'a@example.com' });
  await mp.contacts.create({ email: 'a@example.com' });
  await mp.contacts.create({ email: 'a@example.com' }, { idempotencyKey: 'mine' });
  await mp.segments.preview({ definition: { field: 'email', op: 'exists' } });
  const [first, second, third, read] = seen.map(({ headers }) => headers.get('idempotency-key'));
  assert.notEqual(first, second);
  assert.deepEqual([third, read], ['mine', null]);
});

test('a request that is still being processed is retried; any other conflict is an error', async () => {
  const { mp, seen } = platformWith(failed(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '0' }), failed(409, 'CONFLICT'));
  await assert.rejects(mp.contacts.create({ email: 'ada@example.com' }), ConflictError);
  assert.equal(seen.length, 2);
});

test('an error has the class of its code, the request ID and the details', async () => {
  const details = [{ path: '/email', code: 'invalid', message: 'Not an email address.' }];
  const { mp } = platformWith(
    failed(400, 'VALIDATION_ERROR', {}, { details }),
    failed(418, 'NEWER_CODE'),
    new Response('<html>', { status: 404 }),
  );
  await assert.rejects(mp.contacts.create({ email: 'ada' }, { idempotencyKey: 'mine' }), (error: unknown) => {
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(
      { ...error, name: error.name },
      {
        name: 'ValidationError',
        status: 400,
        code: 'VALIDATION_ERROR',
        requestId: 'req_1',
        details,
        docUrl: undefined,
        retryAfter: undefined,
        idempotencyKey: 'mine',
      },
    );
    assert.equal(error.message, 'It is VALIDATION_ERROR.');
    return true;
  });
  await assert.rejects(mp.me(), { name: 'ApiError', status: 418, code: 'NEWER_CODE' });
  await assert.rejects(mp.me(), { name: 'NotFoundError', code: 'UNKNOWN' });
});

test('a wait of more than a minute is left to the caller', async () => {
  const { mp, seen } = platformWith(failed(429, 'QUOTA_EXCEEDED', { 'retry-after': '3600' }));
  await assert.rejects(
    async () => mp.contacts.list(),
    (error: unknown) => error instanceof RateLimitError && error.retryAfter === 3600,
  );
  assert.equal(seen.length, 1);
});

test('the last error is thrown when all retries fail', async () => {
  const { mp, seen } = platformWith(failed(500, 'INTERNAL_ERROR', { 'retry-after': '0' }), failed(502, 'UPSTREAM_ERROR'));
  await assert.rejects(mp.me({ maxRetries: 1 }), (error: unknown) => error instanceof ServerError && error.code === 'UPSTREAM_ERROR');
  assert.equal(seen.length, 2);
  const offline = platformWith(new TypeError('fetch failed'));
  await assert.rejects(
    offline.mp.me({ maxRetries: 0 }),
    (error: unknown) => error instanceof ConnectionError && error.cause instanceof TypeError,
  );
});

test('a response that does not arrive is a TimeoutError; an aborted signal ends the request and the wait for its retry', async () => {
  const slow = platformWith('never');
  await assert.rejects(slow.mp.me({ timeout: 5, maxRetries: 0 }), TimeoutError);
  const stopped = platformWith('never');
  const reason = new Error('stopped');
  const abort = new AbortController();
  const call = stopped.mp.me({ signal: abort.signal });
  abort.abort(reason);
  await assert.rejects(call, reason);
  const waiting = platformWith(failed(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '50' }));
  await assert.rejects(waiting.mp.me({ signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
  assert.equal(waiting.seen.length, 1);
});

test('a stream is sent once, because it cannot be read again', async () => {
  const { mp, seen } = platformWith(failed(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }));
  await assert.rejects(mp.contacts.imports.create({ body: new Blob(['email\na@example.com\n']).stream() }), ServerError);
  assert.deepEqual([seen.length, seen[0]?.body, seen[0]?.headers.get('content-type')], [1, 'email\na@example.com\n', 'text/csv']);
});

test('for await requests each page when it is needed; await returns the first; a search passes its cursor in the body', async () => {
  const page = (id: string, next_cursor: string | null) =>
    ok({ items: [{ id }], pagination: { limit: 1, has_more: next_cursor !== null, next_cursor } });
  const { mp, seen } = platformWith(
    page('1', 'second'),
    page('2', 'third'),
    page('3', null),
    page('1', 'second'),
    page('1', 'second'),
    page('2', null),
  );
  const list = mp.contacts.list({ tag: 'vip & co', limit: 1 });
  assert.equal(seen.length, 0);
  const ids: string[] = [];
  for await (const { id } of list) {
    ids.push(id);
    assert.equal(seen.length, ids.length);
  }
  assert.deepEqual(ids, ['1', '2', '3']);
  assert.deepEqual(
    seen.map(({ url }) => url.search),
    ['?tag=vip+%26+co&limit=1', '?tag=vip+%26+co&limit=1&cursor=second', '?tag=vip+%26+co&limit=1&cursor=third'],
  );
  assert.equal((await list).pagination.next_cursor, 'second');
  const found = await mp.contacts.search({ rule: { field: 'email', op: 'exists' } }).toArray();
  assert.equal(found.length, 2);
  assert.equal(JSON.parse(seen[5]?.body ?? '').cursor, 'second');
});

test('an empty ID is rejected before it can change the path', () => {
  const { mp, seen } = platformWith();
  for (const id of ['', '.', '..']) assert.throws(() => mp.contacts.delete(id), TypeError);
  assert.equal(seen.length, 0);
});

test('an ID is escaped, a form and a public operation carry no key', async () => {
  const { mp, seen } = platformWith(ok({}), Response.json({ access_token: 't' }));
  await mp.contacts.get('a/b?c');
  const token = await mp.oauth.createToken({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' });
  assert.equal(token.access_token, 't');
  assert.equal(seen[0]?.url.pathname, '/v2/contacts/a%2Fb%3Fc');
  assert.equal(seen[0]?.headers.get('authorization'), 'Bearer mp_live_x');
  assert.deepEqual(
    [seen[1]?.body, seen[1]?.headers.get('authorization')],
    ['grant_type=client_credentials&client_id=c&client_secret=s', null],
  );
});

test('missing options say what to pass', () => {
  assert.throws(() => new MarketingPlatform({ apiKey: '', baseUrl: 'https://mp.example.com' }), /Pass an apiKey/);
  for (const baseUrl of ['mp', 'localhost:8080', 'ftp://mp.example.com'])
    assert.throws(() => new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl }), /such as https:/, baseUrl);
  assert.throws(() => new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com/v2/' }), /without \/v2/);
});

test('the version it reports is that of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal(sdkVersion, version);
});
