import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../test/start-test-gateway.ts';

test('the door counts what it answers by what it was for, and what it refuses by why', async (t) => {
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
  ];
  const text = await eventually(async () => {
    const metrics = await parts.metrics.registry.metrics();
    return expected.every((line) => metrics.includes(line)) && metrics;
  });
  assert.doesNotMatch(text, /secret-id|example\.com/);
});

test('quota use is told by plan and never by account: how much, how many are near the end, and nothing of yesterday', async (t) => {
  let at = Date.parse('2026-11-20T12:00:00Z');
  const { call, makeKey, parts } = await startTestGateway(t, { now: () => at });
  const spent = await makeKey({ daily_requests: 2 });
  const half = await makeKey({ daily_requests: 4 });
  await makeKey({ plan: 'starter' }).then((key) => call('/v2/contacts', { key }));
  for (const key of [spent, spent, spent, half, half]) await call('/v2/contacts', { key });

  const tell = async () => {
    const text = await parts.metrics.registry.metrics();
    assert.ok(!text.includes(spent.account.id));
    return text;
  };
  const today = await tell();
  assert.match(today, /gateway_quota_used_ratio\{plan="enterprise",service="gateway"\} 1\n/);
  assert.match(today, /gateway_quota_used_ratio\{plan="starter",service="gateway"\} 0\.0001\n/);
  assert.match(today, /gateway_accounts_near_quota\{plan="enterprise",service="gateway"\} 1\n/);
  assert.match(today, /gateway_accounts_near_quota\{plan="starter",service="gateway"\} 0\n/);
  at += 24 * 60 * 60 * 1_000;
  assert.match(await tell(), /gateway_quota_used_ratio\{plan="enterprise",service="gateway"\} 0\n/);
});
