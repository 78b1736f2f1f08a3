import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type ErrorCode, errorCodes } from '@mp/contracts/errors';
import { newApiKey } from '../src/settings/api-keys/new-api-key.ts';
import { rawRequest } from './raw-request.ts';
import { startTestGateway } from './start-test-gateway.ts';

/** Every error code of api.md's table, produced through the gateway by its real source: the listener or the settings API. */
test('every error a client can receive', async (t) => {
  const clock: { stopped?: number } = {};
  const gateway = await startTestGateway(t, {
    now: () => clock.stopped ?? Date.now(),
  });
  const { call, send, makeKey, makeAccount, service, stores, parts } = gateway;
  const account = await makeAccount();
  const key = await makeKey({ account });
  const settings = (method: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    send(method, `/v2/settings${path}`, body, { key, headers });
  const inTransaction = (work: Parameters<typeof parts.mongo.transaction>[1]) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, work);

  const produce: Record<ErrorCode, () => Promise<Awaited<ReturnType<typeof call>>>> = {
    VALIDATION_ERROR: () => settings('POST', '/api-keys', { name: '' }),
    UNAUTHORIZED: () => call('/v2/contacts'),
    FORBIDDEN: async () => call('/v2/contacts', { key: await makeKey({ permission: 'read_only' }), method: 'POST' }),
    async SECOND_FACTOR_REQUIRED() {
      const guarded = await makeAccount();
      const headers = await gateway.signIn(guarded);
      await inTransaction((tx) => stores.accounts.update(tx, guarded.id, { second_factor: 'required' }));
      return call('/v2/contacts', { headers });
    },
    async PLAN_LIMIT_EXCEEDED() {
      const full = await makeAccount();
      const admin = await makeKey({ account: full });
      const wanted = { name: 'x', permission: 'read_only', created_by: null } as const;
      const rows = Array.from({ length: 499 }, () => newApiKey(full.id, wanted).key).map(({ id, ...row }) => ({ _id: id, ...row }));
      await parts.mongo.db.collection<{ _id: string }>('api_keys').insertMany(rows);
      return send('POST', '/v2/settings/api-keys', { name: 'x', permission: 'read_only' }, { key: admin });
    },
    async ACCOUNT_SUSPENDED() {
      const suspended = await makeAccount();
      await inTransaction((tx) => stores.accounts.update(tx, suspended.id, { status: 'suspended' }));
      return call('/v2/contacts', { key: await makeKey({ account: suspended }) });
    },
    IP_NOT_ALLOWED: async () => call('/v2/contacts', { key: await makeKey({ ip_allow: ['192.0.2.1'] }) }),
    NOT_FOUND: () => settings('GET', '/api-keys/key_unknown'),
    METHOD_NOT_ALLOWED: () => call('/v2/contacts', { key, method: 'PATCH' }),
    async CONFLICT() {
      await settings('POST', '/users', { email: 'ada@example.com', role: 'viewer' });
      return settings('POST', '/users', { email: 'ada@example.com', role: 'viewer' });
    },
    INVALID_STATE: () => settings('POST', `/api-keys/${key.key.id}/revoke`),
    async IDEMPOTENCY_IN_PROGRESS() {
      // An identical request holds the claim and never ends.
      const running = parts.mongo.client.startSession();
      running.startTransaction();
      const _id = [account.id, 'PUT', '/v2/settings/account', 'twin'].join(' ');
      const claim = { _id, account_id: account.id, fingerprint: 'x', expires_at: new Date(Date.now() + 60_000) };
      await parts.mongo.db.collection<{ _id: string }>('idempotency_claims').insertOne(claim, { session: running });
      try {
        return await settings('PUT', '/account', { name: 'Twin' }, { 'idempotency-key': 'twin' });
      } finally {
        await running.abortTransaction();
        await running.endSession();
      }
    },
    PRECONDITION_FAILED: () => settings('PUT', '/account', { name: 'New' }, { 'if-match': '"999"' }),
    PAYLOAD_TOO_LARGE: () => call('/v2/contacts', { key, method: 'POST', body: Buffer.alloc(1_048_577, 32) }),
    URI_TOO_LONG: () => call(`/v2/contacts?q=${'a'.repeat(9_000)}`, { key }),
    UNSUPPORTED_MEDIA_TYPE: () =>
      call('/v2/settings/api-keys', { key, method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }),
    async EXPECTATION_FAILED() {
      // fetch cannot send this header.
      const head = `POST /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\nexpect: more\r\nconnection: close\r\n\r\n`;
      const { status, headers, body: text } = await rawRequest(gateway.url, head);
      const body = JSON.parse(text);
      return { status, headers: new Headers(headers), text, body, error: body.error, data: undefined };
    },
    async IDEMPOTENCY_KEY_REUSED() {
      await settings('PUT', '/account', { name: 'One' }, { 'idempotency-key': 'reused' });
      return settings('PUT', '/account', { name: 'Two' }, { 'idempotency-key': 'reused' });
    },
    async RATE_LIMITED() {
      const own = await makeKey({ plan: 'starter' });
      clock.stopped = Date.now();
      const responses = await Promise.all(Array.from({ length: 110 }, () => call('/v2/me', { key: own })));
      delete clock.stopped;
      const limited = responses.find(({ status }) => status === 429);
      assert.ok(limited);
      return limited;
    },
    async QUOTA_EXCEEDED() {
      const own = await makeKey({ daily_requests: 1 });
      await call('/v2/contacts', { key: own });
      return call('/v2/contacts', { key: own });
    },
    HEADERS_TOO_LARGE: () => call('/v2/contacts', { key, headers: { 'x-big': 'a'.repeat(20_000) } }),
    async INTERNAL_ERROR() {
      // A row that the code never writes.
      const broken = await makeKey();
      await parts.mongo.db.collection<{ _id: string }>('accounts').updateOne({ _id: broken.account.id }, { $set: { plan: 'nonsense' } });
      return call('/v2/contacts', { key: broken });
    },
    async UPSTREAM_ERROR() {
      service.behave((_req, res) => res.destroy());
      return send('POST', '/v2/contacts', {}, { key });
    },
    async UPSTREAM_TIMEOUT() {
      const impatient = await startTestGateway(t, { parts, timeouts: { headersMs: 200 } });
      impatient.service.behave(() => undefined);
      return impatient.call('/v2/contacts', { key }).finally(impatient.stop);
    },
    async SERVICE_UNAVAILABLE() {
      await service.close();
      return call('/v2/contacts', { key });
    },
  };

  await t.test('an unknown or malformed ID and another account’s ID get the same response', async () => {
    const foreign = await makeKey();
    const paths = [`/settings/api-keys/${foreign.key.id}`, '/settings/api-keys/no%20id', '/settings/api-keys/key_unknown'];
    const responses = await Promise.all(paths.map((path) => call(`/v2${path}`, { key })));
    const bytes = responses.map(({ status, text, headers }) => `${status} ${text.replace(headers.get('x-request-id') ?? '', '')}`);
    assert.equal(new Set(bytes).size, 1, bytes.join('\n'));
  });

  await t.test('covers every code of the table and of docs/errors.md', async () => {
    const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm)].map(([, status, code]) => `${status} ${code}`);
    const table = Object.entries(errorCodes).map(([code, { status }]) => `${status} ${code}`);
    const produced = Object.keys(produce).map((code) => `${errorCodes[code as ErrorCode]?.status} ${code}`);
    assert.deepEqual(produced.toSorted(), table.toSorted(), 'this test produces every code of the table');
    assert.deepEqual(rows.toSorted(), table.toSorted(), 'docs/errors.md has every code');
  });

  for (const [code, run] of Object.entries(produce)) {
    await t.test(code, async () => {
      const response = await run();
      const { status } = errorCodes[code as ErrorCode];
      assert.deepEqual([response.status, response.error?.code], [status, code], response.text);
      assert.deepEqual(Object.keys(response.body), ['success', 'error']);
      assert.equal(response.body.success, false);
      assert.equal(response.error.request_id, response.headers.get('x-request-id'));
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.doesNotMatch(response.text, /\bat .*\.(?:js|ts):\d+|Mongo|undici/, 'neither a stack nor a driver’s message');
      const requiredHeaders: Partial<Record<number, string>> = {
        401: 'www-authenticate',
        405: 'allow',
        429: 'retry-after',
        503: 'retry-after',
      };
      const header = requiredHeaders[status];
      if (header !== undefined) assert.ok(response.headers.get(header), header);
      if (status === 400) assert.ok(response.error.details[0].path && response.error.details[0].message);
      if (status === 429) assert.deepEqual(Object.keys(response.error.details[0]).toSorted(), ['limit', 'plan', 'reset_at', 'used']);
      if (code === 'FORBIDDEN')
        assert.match(response.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="contacts:write"/);
      if (code === 'IDEMPOTENCY_IN_PROGRESS') assert.equal(response.headers.get('retry-after'), '1');
    });
  }
});
