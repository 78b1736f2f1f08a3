import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import { type Client, testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { SignJWT } from 'jose';
import { buildApp } from '../app.ts';

const origin = 'https://shop.example.com';
const pageview = { event: '$pageview', context: { page: { url: `${origin}/pricing` } } };

test('POST /ingest/v1/events', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const stored = (accountId: AccountId) => parts.mongo.db.collection('events').find({ account_id: accountId }).sort({ _id: 1 }).toArray();

  async function siteOf(account: Client, more: object = {}) {
    const { data } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin], ...more });
    return data;
  }

  async function send(key: string, payload: object | string, headers: Record<string, string> = {}) {
    const response = await app.inject({
      method: 'POST',
      url: `/ingest/v1/events?key=${key}`,
      headers: {
        origin,
        'content-type': 'text/plain;charset=UTF-8',
        'x-forwarded-for': '203.0.113.7',
        'user-agent': 'Firefox',
        ...headers,
      },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    const body = response.payload.startsWith('{') ? response.json() : undefined;
    return { status: response.statusCode, headers: response.headers, data: body?.data, error: body?.error };
  }

  await t.test('accepts the events of a page on an origin of the site, which may read the response', async () => {
    const account = testClient(app);
    const { publishable_key: key, id } = await siteOf(account);
    const response = await send(key, {
      visitor_id: 'browser-1',
      events: [
        { ...pageview, message_id: 'm1' },
        { ...pageview, message_id: 'm1' },
      ],
    });
    assert.deepEqual([response.status, response.data.accepted, response.data.duplicates], [202, 1, 1]);
    assert.equal(response.headers['access-control-allow-origin'], origin);
    assert.equal(response.headers['access-control-allow-credentials'], undefined);
    const [event] = await stored(account.accountId);
    assert.deepEqual(
      [event?.visitor_id, event?.page.path, event?.context.network, event?.claims],
      ['browser-1', '/pricing', '203.0.113.0', []],
    );
    const { data: site } = await account.get(`/v2/leadpulse/sites/${id}`);
    assert.ok(site.first_event_at && site.last_event_at);
    assert.equal(site.revision, 1);
  });

  await t.test('the message IDs of a site are its own: a page cannot suppress an event of the server or of another site', async () => {
    const account = testClient(app);
    const [one, two] = [await siteOf(account), await siteOf(account)];
    const order = { event: 'order', visitor_id: 'v', message_id: 'order-1042' };
    const track = () => account.post('/v2/leadpulse/track', order);
    const statusOf = ({ data }: { data: { results: { status: string }[] } }) => data.results[0]?.status;
    const guess = { events: [{ event: 'order', message_id: 'order-1042' }] };
    assert.equal(statusOf(await send(one.publishable_key, guess)), 'accepted');
    assert.equal(statusOf(await send(two.publishable_key, guess)), 'accepted');
    assert.equal(statusOf(await track()), 'accepted');
    assert.equal(statusOf(await send(one.publishable_key, guess)), 'duplicate');
    assert.equal(statusOf(await track()), 'duplicate');
  });

  await t.test('a request that took half a minute keeps the times of its events; a clock that is wrong is corrected', async () => {
    const account = testClient(app);
    const { publishable_key: key } = await siteOf(account);
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    const timeOf = async (sentSecondsAgo: number, timestamp: Date) => {
      const events = [{ ...pageview, timestamp: timestamp.toISOString() }];
      assert.equal((await send(key, { sent_at: ago(sentSecondsAgo).toISOString(), events })).status, 202);
      return (await stored(account.accountId)).at(-1)?.time;
    };
    const slow = ago(31);
    assert.deepEqual(await timeOf(30, slow), slow);
    for (const hours of [-1, 1]) {
      const corrected = await timeOf(hours * 3_600, ago(hours * 3_600 + 2));
      assert.ok(Math.abs(corrected.getTime() - ago(2).getTime()) < 600_000, `a clock that is ${hours} h behind`);
    }
  });

  await t.test('a replaced key stops working at once, and the new one counts for the same site', async () => {
    const account = testClient(app);
    const { publishable_key: key, id } = await siteOf(account);
    assert.equal((await send(key, { events: [pageview] })).status, 202);
    const { data: site } = await account.post(`/v2/leadpulse/sites/${id}/rotate-key`);
    assert.deepEqual([site.id, site.name, site.origins, site.revision], [id, 'Shop', [origin], 2]);
    assert.equal((await send(key, { events: [pageview] })).status, 401);
    assert.equal((await send(site.publishable_key, { events: [pageview] })).status, 202);
    assert.equal((await stored(account.accountId)).length, 2);
  });

  await t.test('responds to a preflight request without a key', async () => {
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const response = await app.inject({ method: 'OPTIONS', url: '/ingest/v1/events', headers });
    assert.deepEqual([response.statusCode, response.headers['access-control-allow-methods']], [204, 'POST']);
  });

  await t.test('rejects unknown keys, other origins and requests without an origin, and stores nothing', async () => {
    const account = testClient(app);
    const { publishable_key: key } = await siteOf(account);
    const events = { events: [pageview] };
    assert.equal((await send('mp_pub_nonsense', events)).status, 401);
    assert.equal((await send('', events)).status, 401);
    for (const other of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      const response = await send(key, events, { origin: other });
      assert.deepEqual([response.status, response.error.code], [403, 'FORBIDDEN']);
      assert.equal(response.headers['access-control-allow-origin'], undefined);
    }
    const without = await app.inject({ method: 'POST', url: `/ingest/v1/events?key=${key}`, payload: events });
    assert.equal(without.statusCode, 403);
    assert.deepEqual(await stored(account.accountId), []);
  });

  await t.test('a page cannot name a contact: an email, an ID or an unsigned token never becomes an identity', async () => {
    const account = testClient(app);
    const { publishable_key: key, identity_secret: secret } = await siteOf(account);
    const other = await siteOf(account);
    const sign = (claims: Record<string, unknown>, { by = secret, alg = 'HS256', exp = '1h' } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg }).setExpirationTime(exp).sign(Buffer.from(by));
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"email":"ada@example.com","exp":9999999999}').toString('base64url')}.`;
    const identify = (more: object) => ({ event: '$identify', ...more });
    const events = [
      identify({ email: 'ada@example.com' }),
      identify({ external_id: '7' }),
      identify({}),
      identify({ token: unsigned }),
      identify({ token: await sign({ email: 'ada@example.com' }, { by: other.identity_secret }) }),
      identify({ token: await sign({ email: 'ada@example.com' }, { alg: 'HS512' }) }),
      identify({ token: await sign({ email: 'ada@example.com' }, { exp: '-1m' }) }),
      identify({ token: await sign({ email: 'ada@example.com' }, { exp: '2d' }) }),
      identify({ token: await sign({ name: 'Ada' }) }),
      identify({ token: await sign({ email: 'Ada@Example.com', sub: 'user-7' }) }),
    ];
    const { status, data } = await send(key, { visitor_id: 'b1', events });
    assert.equal(status, 202);
    assert.deepEqual(
      data.results.map(({ code }: { code?: string }) => code),
      ['unrecognized_keys', 'unrecognized_keys', 'token_required', ...Array(6).fill('invalid_token'), undefined],
    );
    const rows = await stored(account.accountId);
    assert.deepEqual(
      rows.map(({ claims }) => claims),
      [['external:user-7', 'email:ada@example.com']],
    );
    assert.ok(!JSON.stringify(rows).includes('eyJ'), 'the token is not stored');
  });

  await t.test('a visitor without a stored ID is one visitor for a day on one site, and its address is not stored', async () => {
    const account = testClient(app);
    const [one, two] = [await siteOf(account), await siteOf(account)];
    const events = { events: [pageview] };
    await send(one.publishable_key, events);
    await send(one.publishable_key, events);
    await send(one.publishable_key, events, { 'x-forwarded-for': '203.0.113.8' });
    await send(one.publishable_key, events, { 'user-agent': 'Safari' });
    await send(two.publishable_key, events);
    const rows = await stored(account.accountId);
    const visitors = rows.map(({ visitor_id }) => visitor_id);
    assert.equal(visitors[0], visitors[1]);
    assert.equal(new Set(visitors).size, 4);
    for (const visitor of visitors) assert.match(visitor, /^day_[\w-]{22}$/);
    assert.ok(!JSON.stringify(rows).includes('203.0.113.7'));
  });

  await t.test('the daily maximum is never exceeded by concurrent requests, and does not affect other sites', async () => {
    const account = testClient(app);
    const [small, other] = [await siteOf(account, { max_events_per_day: 7 }), await siteOf(account)];
    const responses = await Promise.all(Array.from({ length: 12 }, () => send(small.publishable_key, { events: [pageview] })));
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(7).fill(202), ...Array(5).fill(429)]);
    const rejected = responses.find(({ status }) => status === 429);
    assert.deepEqual([rejected?.error.code, rejected?.headers['access-control-allow-origin']], ['QUOTA_EXCEEDED', origin]);
    assert.ok(Number(rejected?.headers['retry-after']) > 0);
    assert.equal((await stored(account.accountId)).length, 7);
    assert.equal((await send(other.publishable_key, { events: [pageview] })).status, 202);
  });

  await t.test('10,000 requests with a wrong key or origin are limited, and do not affect other addresses', async () => {
    const { publishable_key: key } = await siteOf(testClient(app));
    const abuse = { 'x-forwarded-for': '198.51.100.9', origin: 'https://evil.example' };
    const seen = new Map<number, number>();
    for (let number = 0; number < 10_000; number += 100) {
      const some = Array.from({ length: 100 }, () => send(key, { events: [pageview] }, abuse));
      for (const { status } of await Promise.all(some)) seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    assert.deepEqual([...seen.keys()].sort(), [403, 429]);
    assert.ok((seen.get(429) ?? 0) > 5_000);
    assert.equal((await send(key, { events: [pageview] })).status, 202);
  });

  await t.test('changed origins, deleted sites and malformed bodies are rejected', async () => {
    const account = testClient(app);
    const site = await siteOf(account);
    const key = site.publishable_key;
    const events = { events: [pageview] };
    assert.equal((await send(key, events)).status, 202);
    await account.put(`/v2/leadpulse/sites/${site.id}`, { origins: ['https://new.example.com'] });
    assert.equal((await send(key, events)).status, 403);
    assert.equal((await send(key, events, { origin: 'https://new.example.com' })).status, 202);
    await account.put(`/v2/leadpulse/sites/${site.id}`, { origins: [origin] });
    for (const wrong of ['', '{', '[]', { events: [] }, { events: 'x' }, { ...events, more: 1 }, { events: Array(101).fill(pageview) }])
      assert.equal((await send(key, wrong)).error?.code, 'VALIDATION_ERROR', JSON.stringify(wrong).slice(0, 50));
    const mixed = await send(key, {
      events: [5, { ...pageview, backfill: true }, { ...pageview, context: { ip: '1.1.1.1' } }, { ...pageview, event: '$mine' }, pageview],
    });
    assert.deepEqual([mixed.data.accepted, mixed.data.rejected], [1, 4]);
    assert.equal((await send(key, `{"events": ["${'x'.repeat(300_000)}"]}`)).status, 413);
    await account.delete(`/v2/leadpulse/sites/${site.id}`);
    assert.equal((await send(key, events)).status, 401);
  });
});

test('a suspended account accepts no events from pages', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const { data: site } = await account.post('/v2/leadpulse/sites', { name: 'Shop', origins: [origin] });
  const status = { account_id: account.accountId, plan: 'growth', status: 'suspended', revision: 2, at: new Date().toISOString() };
  await parts.mongo.db.collection<{ _id: string }>('account_statuses').insertOne({ _id: status.account_id, ...status });
  await eventually(async () => {
    const url = `/ingest/v1/events?key=${site.publishable_key}`;
    const response = await app.inject({ method: 'POST', url, headers: { origin }, payload: { events: [pageview] } });
    return response.json().error?.code === 'ACCOUNT_SUSPENDED';
  });
});

test('a token bucket refills with time, and one key does not use the tokens of another', () => {
  let now = 0;
  const buckets = createTokenBuckets({ perSecond: 2, burst: 4, max: 10 }, () => now);
  assert.equal(buckets.take('a', 4), 0);
  assert.equal(buckets.take('a', 1), 1);
  assert.equal(buckets.take('b', 1), 0);
  now = 500;
  assert.equal(buckets.take('a', 1), 0);
  assert.equal(buckets.take('a', 4), 2);
  now = 60_000;
  assert.equal(buckets.take('a', 100), 0, 'a request larger than the burst takes a full bucket');
  assert.ok(buckets.take('a', 1) > 40, 'and has to be paid back');
});
