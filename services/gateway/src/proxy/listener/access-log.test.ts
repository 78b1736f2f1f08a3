import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { createAccessLog } from './access-log.ts';

/** A gateway whose access log lines are collected. */
async function startLogging(t: Parameters<typeof startTestGateway>[0], sampleRate: number) {
  const lines: Record<string, unknown>[] = [];
  const accessLog = createAccessLog({ info: (fields: object) => void lines.push(JSON.parse(JSON.stringify(fields))) }, sampleRate);
  const gateway = await startTestGateway(t, { accessLog });
  return { ...gateway, lines, logged: (count: number) => eventually(async () => lines.length >= count && lines) };
}

test('logs each request once, with its route and caller, and never with the query or a link of an email', async (t) => {
  const { call, makeKey, url, logged } = await startLogging(t, 1);
  const { authorization, key, account } = await makeKey();
  const caller = { account_id: account.id, credential_id: key.id };
  const head = (line: string, credential = authorization) =>
    `${line} HTTP/1.1\r\nhost: x\r\nauthorization: ${credential}\r\nconnection: close\r\n\r\n`;
  await call('/health/live');
  await rawExchange(url, head('GET /v2/contacts/contact_1?email=ada@example.com'));
  await rawExchange(url, head('PATCH /v2/contacts?email=ada@example.com'));
  await rawExchange(url, head('GET /v2/me', 'Bearer wrong'));
  await rawExchange(url, head('DELETE /t/a-link-of-a-mail'));
  await rawExchange(url, head('GET /t/a-link-of-a-mail'));
  const lines = await logged(5);
  const address = '127.0.0.1';
  assert.ok(lines.every(({ ms, request_id }) => typeof ms === 'number' && typeof request_id === 'string'));
  assert.deepEqual(
    lines.map(({ ms, request_id, ...fields }) => fields),
    [
      { method: 'GET', route: '/v2/contacts/{id}', status: 200, ...caller, address },
      { method: 'PATCH', path: '/v2/contacts', status: 405, code: 'METHOD_NOT_ALLOWED', ...caller, address },
      { method: 'GET', path: '/v2/me', status: 401, code: 'UNAUTHORIZED', address },
      { method: 'DELETE', path: '/t/*', status: 405, code: 'METHOD_NOT_ALLOWED', address },
      { method: 'GET', route: '/t/{}', status: 200, address },
    ],
  );
});

test('a response that the service aborts is logged as broken', async (t) => {
  const { call, makeKey, service, logged } = await startLogging(t, 0);
  service.behave((_req, res) => {
    res.writeHead(200, { 'content-length': 100 });
    res.write('half', () => res.destroy());
  });
  await assert.rejects(call('/v2/contacts', { key: await makeKey() }));
  const [broken] = await logged(1);
  assert.deepEqual([broken?.status, broken?.ended], [200, 'broken']);
});

test('a sample rate leaves out that share of the successful requests, and no others', async (t) => {
  let drawn = 0.3;
  t.mock.method(Math, 'random', () => drawn);
  for (const [sampleRate, expected] of [
    [0, [404]],
    [0.25, [404, 200]],
  ] as const) {
    drawn = 0.3;
    const { call, makeKey, lines, logged } = await startLogging(t, sampleRate);
    const key = await makeKey();
    for (let index = 0; index < 3; index += 1) assert.equal((await call('/v2/contacts', { key })).status, 200);
    assert.equal((await call('/v2/nothing', { key })).status, 404);
    await logged(1);
    drawn = 0.2;
    assert.equal((await call('/v2/contacts', { key })).status, 200);
    await logged(expected.length);
    assert.deepEqual(
      lines.map(({ status }) => status),
      expected,
    );
  }
});
