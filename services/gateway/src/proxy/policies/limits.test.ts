import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseList } from 'structured-headers';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { newSecret } from '../../credentials/token-format.ts';

/** `"burst";r=49;t=1` → { burst: { r: 49, t: 1 } }. Throws if it is not a structured list. */
function figures(header: string | null) {
  return Object.fromEntries(parseList(header ?? '').map(([name, parameters]) => [String(name), Object.fromEntries(parameters)]));
}

test('limits', async (t) => {
  const clock = { now: Date.parse('2026-03-01T23:59:59.500Z') };
  const gateway = await startTestGateway(t, { now: () => clock.now });
  const { call, makeKey } = gateway;
  const retryAfter = (response: Awaited<ReturnType<typeof call>>) => Number(response.headers.get('retry-after'));

  await t.test('every charged response reports what is left, in the IETF and the X-RateLimit headers', async () => {
    const key = await makeKey({ plan: 'starter' });
    const response = await call('/v2/contacts', { key });
    assert.deepEqual(figures(response.headers.get('ratelimit-policy')), { burst: { q: 50, w: 1 }, daily: { q: 10_000, w: 86_400 } });
    assert.deepEqual(figures(response.headers.get('ratelimit')), { burst: { r: 50, t: 1 }, daily: { r: 9_999, t: 1 } });
    assert.equal(response.headers.get('x-ratelimit-limit'), '10000');
    assert.equal(response.headers.get('x-ratelimit-remaining'), '9999');
    assert.equal(response.headers.get('x-ratelimit-reset'), String(Date.parse('2026-03-02T00:00:00Z') / 1_000));
  });

  await t.test('an account without a daily quota has no daily part in the headers', async () => {
    const response = await call('/v2/contacts', { key: await makeKey() });
    assert.deepEqual(figures(response.headers.get('ratelimit-policy')), { burst: { q: 1_000, w: 1 } });
    assert.deepEqual(figures(response.headers.get('ratelimit')), { burst: { r: 1_000, t: 1 } });
    assert.equal(response.headers.get('x-ratelimit-limit'), null);
  });

  await t.test('rejects requests over the quota until midnight UTC', async () => {
    const key = await makeKey({ daily_requests: 2 });
    for (const left of ['1', '0']) assert.equal((await call('/v2/contacts', { key })).headers.get('x-ratelimit-remaining'), left);
    const refused = await call('/v2/contacts', { key });
    assert.equal(refused.status, 429);
    assert.equal(refused.error.code, 'QUOTA_EXCEEDED');
    assert.deepEqual(refused.error.details, [{ limit: 2, used: 2, reset_at: '2026-03-02T00:00:00.000Z', plan: 'enterprise' }]);
    assert.ok(retryAfter(refused) >= 1 && retryAfter(refused) <= 31);
    assert.deepEqual(figures(refused.headers.get('ratelimit')).daily, { r: 0, t: 1 });
    assert.equal(gateway.service.seen.length, 4, 'rejected requests reach no service');

    clock.now = Date.parse('2026-03-02T00:00:00.000Z');
    const next = await call('/v2/contacts', { key });
    assert.equal(next.status, 200);
    assert.deepEqual(figures(next.headers.get('ratelimit')).daily, { r: 1, t: 86_400 });
    clock.now = Date.parse('2026-03-01T23:59:59.500Z');
  });

  await t.test('401, 403, 404, 405, 429 and reading the usage are not charged; rejections by a service are', async () => {
    const account = await gateway.makeAccount('starter');
    const key = await makeKey({ account });
    const reader = await makeKey({ account, permission: 'read_only' });
    const used = async () => (await call('/v2/settings/usage', { key })).data.used;
    await call('/v2/contacts', { headers: { authorization: 'Bearer wrong' } });
    await call('/v2/contacts', { key: reader, method: 'POST' });
    await call('/v2/nothing', { key });
    await call('/v2/contacts', { key, method: 'PATCH' });
    assert.equal(await used(), 0);
    assert.equal(await used(), 0);
    gateway.service.behave((_req, res) => res.writeHead(404).end());
    assert.equal((await call('/v2/contacts/contact_1', { key })).status, 404);
    assert.equal(await used(), 1);
    const usage = await call('/v2/settings/usage', { key });
    assert.deepEqual(usage.data, {
      plan: 'starter',
      date: '2026-03-01',
      used: 1,
      limit: 10_000,
      remaining: 9_999,
      reset_at: '2026-03-02T00:00:00.000Z',
    });
  });

  await t.test('rejects a burst with Retry-After, without charging the quota', async () => {
    const key = await makeKey({ plan: 'starter' });
    const responses = await Promise.all(Array.from({ length: 110 }, () => call('/v2/me', { key })));
    const refused = responses.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 10);
    const [first] = refused;
    assert.ok(first);
    assert.equal(first.error.code, 'RATE_LIMITED');
    assert.equal(first.error.details[0].plan, 'starter');
    assert.equal(retryAfter(first), 1);
    clock.now += 100;
    assert.equal((await call('/v2/settings/usage', { key })).data.used, responses.length - refused.length);
  });

  await t.test('requests rejected for path or permission count against the burst limit', async () => {
    const key = await makeKey({ plan: 'starter', permission: 'read_only' });
    const requests = Array.from({ length: 110 }, (_, index) =>
      index % 2 ? call('/v2/nothing', { key }) : call('/v2/contacts', { key, method: 'POST' }),
    );
    const codes = (await Promise.all(requests)).map(({ error }) => error.code);
    assert.deepEqual([...new Set(codes)].toSorted(), ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED']);
  });

  await t.test('a key used from a forbidden address does not use up limits of its account', async () => {
    const account = await gateway.makeAccount('starter');
    const stolen = await makeKey({ account, ip_allow: ['192.0.2.0/24'] });
    const responses = await Promise.all(Array.from({ length: 90 }, () => call('/v2/contacts', { key: stolen })));
    assert.deepEqual([...new Set(responses.map(({ error }) => error.code))], ['IP_NOT_ALLOWED']);
    const key = await makeKey({ account });
    assert.deepEqual(figures((await call('/v2/contacts', { key })).headers.get('ratelimit')).burst, { r: 50, t: 1 });
    clock.now += 61_000;
  });

  await t.test('a new plan applies immediately and keeps the count', async () => {
    const account = await gateway.makeAccount('enterprise', 1);
    const key = await makeKey({ account });
    await call('/v2/contacts', { key });
    assert.equal((await call('/v2/contacts', { key })).status, 429);
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
      gateway.stores.accounts.update(tx, account.id, { plan: 'growth', daily_requests: null }),
    );
    clock.now += 10_001;
    const response = await call('/v2/contacts', { key });
    assert.equal(response.headers.get('x-ratelimit-limit'), '50000');
    clock.now -= 10_001;
  });

  await t.test('an address with a hundred wrong credentials gets 429, but its valid keys work', async () => {
    const key = await makeKey();
    assert.equal((await call('/v2/me', { key })).status, 200);
    const wrong = () => call('/v2/me', { headers: { authorization: `Bearer ${newSecret('key')}` } });
    let response = await wrong();
    for (let index = 0; index < 100 && response.status === 401; index += 1) response = await wrong();
    assert.equal(response.status, 429);
    assert.equal(response.error.code, 'RATE_LIMITED');
    assert.equal(retryAfter(response), 60);
    assert.equal((await call('/v2/me', { key })).status, 200);
    assert.equal((await call('/v2/me')).status, 401, 'a missing credential does not count as wrong');
  });
});
