import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('counts responses by route class and status, and rejections by code', async (t) => {
  const { call, makeKey, parts } = await startTestGateway(t);
  const reader = await makeKey({ permission: 'read_only' });
  const spent = await makeKey({ daily_requests: 1 });
  await call('/v2/contacts/secret-id?email=ada@example.com', { key: reader });
  await call('/v2/contacts', { key: reader, method: 'POST' });
  await call('/v2/me', { key: reader });
  await call('/v2/contacts');
  await call('/v2/nothing', { key: reader });
  await call('/openapi.json');
  for (let index = 0; index < 3; index += 1) await call('/v2/contacts', { key: spent });

  const expected = [
    'gateway_requests_total{route_class="contacts:read",status="200",service="gateway"} 2',
    'gateway_requests_total{route_class="contacts:read",status="429",service="gateway"} 2',
    'gateway_requests_total{route_class="contacts:write",status="403",service="gateway"} 1',
    'gateway_requests_total{route_class="none",status="200",service="gateway"} 1',
    'gateway_requests_total{route_class="unknown",status="401",service="gateway"} 1',
    'gateway_requests_total{route_class="unknown",status="404",service="gateway"} 1',
    'gateway_requests_total{route_class="public",status="200",service="gateway"} 1',
    'gateway_refusals_total{code="QUOTA_EXCEEDED",service="gateway"} 2',
    'gateway_refusals_total{code="FORBIDDEN",service="gateway"} 1',
    'gateway_refusals_total{code="UNAUTHORIZED",service="gateway"} 1',
    'gateway_request_duration_seconds_count{service="gateway",route_class="contacts:read"} 4',
    'gateway_request_duration_seconds_bucket{le="+Inf",service="gateway",route_class="public"} 1',
    'gateway_circuit_open{upstream="contacts",service="gateway"} 0',
    'gateway_waiting_requests{upstream="contacts",service="gateway"} 0',
  ];
  const text = await eventually(async () => {
    const metrics = await parts.metrics.registry.metrics();
    return expected.every((line) => metrics.includes(line)) && metrics;
  });
  assert.doesNotMatch(text, /secret-id|example\.com/);
});

test('metrics of requests that fail', async (t) => {
  const { makeKey, parts, service, url } = await startTestGateway(t);
  const { authorization, account } = await makeKey();
  const warn = t.mock.method(parts.logger, 'warn');
  const head = (method: string, credential = authorization) =>
    `${method} /v2/contacts?email=ada@example.com HTTP/1.1\r\nhost: x\r\nauthorization: ${credential}\r\n`;
  const metrics = (line: string) =>
    eventually(async () => {
      const text = await parts.metrics.registry.metrics();
      return text.includes(line) && text;
    });

  await t.test('a client that leaves while sending its body is neither an error nor a rejection', async () => {
    const { hostname, port } = new URL(url);
    const client = connect(Number(port), hostname);
    client.write(`${head('POST')}expect: 100-continue\r\ncontent-length: 10\r\n\r\n`);
    await once(client, 'data');
    client.destroy();
    const text = await metrics('gateway_requests_total{route_class="contacts:write",status="none",service="gateway"} 1');
    assert.doesNotMatch(text, /gateway_refusals_total\{/);
  });

  await t.test('a response that the service aborts counts as broken, not by its status', async () => {
    service.behave((_req, res) => {
      res.writeHead(200, { 'content-length': 100 });
      res.write('half', () => res.destroy());
    });
    const response = await rawExchange(url, `${head('GET')}\r\n`);
    const text = await metrics('gateway_requests_total{route_class="contacts:read",status="broken",service="gateway"} 1');
    assert.doesNotMatch(text, /status="200"/);
    const [said] = warn.mock.calls.map(({ arguments: [fields] }) => fields);
    const [request_id] = /req_\w+/.exec(response) ?? [];
    assert.deepEqual(said, { method: 'GET', route: '/v2/contacts', request_id, account_id: account.id, status: 200 });
  });

  await t.test('a service that failed too often shows an open circuit', async () => {
    const others = [await makeKey(), await makeKey(), await makeKey()];
    for (let index = 0; index < 9; index += 1) await rawExchange(url, `${head('GET', others[index % 3]?.authorization)}\r\n`);
    await metrics('gateway_circuit_open{upstream="contacts",service="gateway"} 1');
  });
});

test('reports quota use for today by plan, never by account', async (t) => {
  let at = Date.parse('2026-11-20T12:00:00Z');
  const { call, makeKey, parts } = await startTestGateway(t, { now: () => at });
  const spent = await makeKey({ daily_requests: 2 });
  const half = await makeKey({ daily_requests: 4 });
  await makeKey({ plan: 'starter' }).then((key) => call('/v2/contacts', { key }));
  for (const key of [spent, spent, spent, half, half]) await call('/v2/contacts', { key });

  const readMetrics = async () => {
    const text = await parts.metrics.registry.metrics();
    assert.ok(!text.includes(spent.account.id));
    return text;
  };
  const today = await readMetrics();
  assert.match(today, /gateway_quota_used_ratio\{plan="enterprise",service="gateway"\} 1\n/);
  assert.match(today, /gateway_quota_used_ratio\{plan="starter",service="gateway"\} 0\.0001\n/);
  assert.match(today, /gateway_accounts_near_quota\{plan="enterprise",service="gateway"\} 1\n/);
  assert.match(today, /gateway_accounts_near_quota\{plan="starter",service="gateway"\} 0\n/);
  at += 24 * 60 * 60 * 1_000;
  assert.match(await readMetrics(), /gateway_quota_used_ratio\{plan="enterprise",service="gateway"\} 0\n/);
});
